// A click on a column's header sorts by it, a second one the other way round. Without scripts the table stays as it is.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  const compare = (left, right) => {
    const [a, b] = [left, right].map((text) => Number(text.replace(" %", "")));
    return Number.isNaN(a) || Number.isNaN(b) ? left.localeCompare(right, undefined, { numeric: true }) : a - b;
  };
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    header.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const descending = header.getAttribute("aria-sort") === "ascending";
      const cell = (row) => row.cells[column].textContent.trim();
      const rows = [...body.rows].sort((left, right) => compare(cell(left), cell(right)));
      body.append(...(descending ? rows.reverse() : rows));
      headers.forEach((other) => other.setAttribute("aria-sort", "none"));
      header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    });
  });
}
