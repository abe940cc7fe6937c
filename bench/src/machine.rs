//! Where a measurement comes from.

/// The version of this package, which is the workspace's.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit this was built from, with `-dirty` after it if a source differed; `unknown` outside a repository.
pub const COMMIT: &str = env!("DTS_COMMIT");

/// The name of this machine's processor, as the system tells it.
pub fn processor_model() -> String {
    let name = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| model_in(&text));
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn model_in(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_read_from_cpuinfo() {
        let text = "processor\t: 0\nvendor_id\t: X\nmodel name\t: Some  CPU @ 2.0GHz\nprocessor\t: 1\n";
        assert_eq!(model_in(text).as_deref(), Some("Some CPU @ 2.0GHz"));
        assert_eq!(model_in("processor : 0\n"), None);
        assert_eq!(model_in("model name :\n"), None);
        assert!(!processor_model().is_empty());
    }
}
