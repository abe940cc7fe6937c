//! Least squares: what each of several things costs, from totals.

/// The factors by which each observation's causes are to be multiplied so that their sums come closest to what was observed; none if
/// the observations do not tell the causes apart.
///
/// ```
/// // Two of one and three of the other cost 8, and so on.
/// let costs = dts_bench::least_squares(&[([2.0, 3.0], 8.0), ([1.0, 0.0], 1.0), ([0.0, 5.0], 10.0)]);
/// let rounded = costs.map(|costs| costs.map(|cost| (cost * 1e9).round() / 1e9));
/// assert_eq!(rounded, Some([1.0, 2.0]));
/// assert_eq!(dts_bench::least_squares(&[([2.0, 4.0], 8.0), ([1.0, 2.0], 4.0)]), None);
/// ```
#[must_use]
pub fn least_squares<const N: usize>(observations: &[([f64; N], f64)]) -> Option<[f64; N]> {
    // Causes of very different sizes are made comparable first.
    let scale: [f64; N] =
        std::array::from_fn(|cause| observations.iter().map(|(causes, _)| causes[cause].abs()).sum());
    if scale.contains(&0.0) {
        return None;
    }
    // The normal equations, the right side in a column of its own.
    let mut matrix = [[0.0; N]; N];
    let mut right = [0.0; N];
    for (causes, observed) in observations {
        for row in 0..N {
            let weight = causes[row] / scale[row];
            (0..N).for_each(|column| matrix[row][column] += weight * causes[column] / scale[column]);
            right[row] += weight * observed;
        }
    }
    let size = (0..N).map(|place| matrix[place][place]).fold(0.0, f64::max);
    for pivot in 0..N {
        let best = (pivot..N)
            .max_by(|&one, &other| matrix[one][pivot].abs().total_cmp(&matrix[other][pivot].abs()))?;
        matrix.swap(pivot, best);
        right.swap(pivot, best);
        if matrix[pivot][pivot].abs() < 1e-12 * size {
            return None;
        }
        for row in (0..N).filter(|&row| row != pivot) {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let eliminated = matrix[pivot];
            (0..N).for_each(|column| matrix[row][column] -= factor * eliminated[column]);
            right[row] -= factor * right[pivot];
        }
    }
    Some(std::array::from_fn(|cause| right[cause] / matrix[cause][cause] / scale[cause]))
}

#[cfg(test)]
mod tests {
    use super::least_squares;

    #[test]
    fn errors_that_cancel_do_no_harm() {
        let of = |nodes: f64, splits: f64, error: f64| ([nodes, splits], 2.0 * nodes + 30.0 * splits + error);
        let all = [
            of(1e6, 10.0, 5.0),
            of(1e6, 10.0, -5.0),
            of(2e6, 300.0, 7.0),
            of(2e6, 300.0, -7.0),
            of(1e5, 0.0, 0.0),
        ];
        let [node, split] = least_squares(&all).expect("they differ");
        assert!((node - 2.0).abs() < 1e-9 && (split - 30.0).abs() < 1e-6, "{node} {split}");
    }
}
