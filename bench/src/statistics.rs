//! Medians, means and the interval of a mean.

/// The median; the mean of the two in the middle where their number is even. Sorts the values.
///
/// # Panics
///
/// If there are none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let (low, high) = middle(values);
    low.midpoint(high)
}

/// The median of counts; between the two in the middle, rounded down, where their number is even.
///
/// # Panics
///
/// If there are none.
pub(crate) fn median_integer(values: &mut [u64]) -> u64 {
    values.sort_unstable();
    let (low, high) = middle(values);
    low.midpoint(high)
}

fn middle<T: Copy>(sorted: &[T]) -> (T, T) {
    (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}

/// The arithmetic mean.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The geometric mean of positive values.
pub(crate) fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// The 95 % interval of the mean by Student's t, or nothing for fewer than two values.
///
/// Student's t and not a bootstrap: it is what a reader can compute again with a spreadsheet, it needs no
/// random numbers, and over a handful of positions a percentile bootstrap is too narrow.
pub(crate) fn interval(values: &[f64]) -> Option<(f64, f64)> {
    let freedom = values.len().checked_sub(2)? + 1;
    let mean = mean(values);
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / freedom as f64;
    let half = student_t(freedom) * (variance / values.len() as f64).sqrt();
    Some((mean - half, mean + half))
}

/// The 0.975 quantile of Student's t.
fn student_t(freedom: usize) -> f64 {
    const SMALL: [f64; 30] = [
        12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010, 2.1788,
        2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
        2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
    ];
    if let Some(t) = SMALL.get(freedom - 1) {
        return *t;
    }
    // The first terms of the expansion in 1/n around the normal quantile: right to four figures from here on.
    let (z, n) = (1.959_964_f64, freedom as f64);
    z + (z.powi(3) + z) / (4.0 * n) + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_numbers() {
        assert_eq!(median(&mut [5.0]), 5.0);
        assert_eq!(median(&mut [9.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [9.0, 1.0, 2.0, 4.0]), 3.0);
        assert_eq!(median_integer(&mut [9, 1, 2]), 2);
        assert_eq!(median_integer(&mut [9, 1, 2, 5]), 3);
        assert_eq!(median_integer(&mut [u64::MAX, u64::MAX - 2]), u64::MAX - 1);
    }

    #[test]
    fn student_t_meets_the_printed_tables() {
        for (freedom, t) in [(1, 12.706), (23, 2.069), (30, 2.042), (31, 2.0395), (40, 2.021), (120, 1.980)] {
            assert!((student_t(freedom) - t).abs() < 6e-4, "{freedom}: {}", student_t(freedom));
        }
    }

    #[test]
    fn the_interval_of_a_mean() {
        assert_eq!(interval(&[]), None);
        assert_eq!(interval(&[2.0]), None);
        assert_eq!(interval(&[2.0, 2.0]), Some((2.0, 2.0)));
        // Mean 2, standard deviation 1, three values: 2 ± 4.3027 / sqrt 3.
        let (low, high) = interval(&[1.0, 2.0, 3.0]).unwrap();
        assert!((low + 0.4842).abs() < 1e-4 && (high - 4.4842).abs() < 1e-4, "{low} {high}");
    }
}
