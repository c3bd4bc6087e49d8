/**
 * The rank-sum test of Mann and Whitney (1947): how far the ranks of two samples are from those of one
 * distribution, in standard deviations. Normal approximation; ties share their mean rank. Below 0
 * where the first sample tends to be less; 0 where all values are equal.
 */
export function mannWhitneyZ(first: readonly number[], second: readonly number[]): number {
  const all = [...first.map((value) => ({ value, isFirst: true }))]
    .concat(second.map((value) => ({ value, isFirst: false })))
    .sort((a, b) => a.value - b.value);
  let rankSum = 0;
  let tieSum = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.value === all[from]?.value) to += 1;
    const alike = all.slice(from, to);
    const meanRank = (from + 1 + to) / 2;
    rankSum += meanRank * alike.filter(({ isFirst }) => isFirst).length;
    tieSum += alike.length ** 3 - alike.length;
    from = to;
  }
  const [m, n, total] = [first.length, second.length, all.length];
  const above = rankSum - (m * (m + 1)) / 2 - (m * n) / 2;
  const variance = ((m * n) / 12) * (total + 1 - tieSum / (total * (total - 1)));
  return variance > 0 ? above / Math.sqrt(variance) : 0;
}

/**
 * One standard deviation of the median of a sample, of any distribution: half the distance of the values
 * that stand so far below and above it as a binomial number of values deviates from the half.
 */
export function medianDeviation(sample: readonly number[]): number {
  const sorted = sample.toSorted((a, b) => a - b);
  const [middle, off] = [(sorted.length - 1) / 2, Math.sqrt(sorted.length) / 2];
  const low = sorted[Math.max(0, Math.floor(middle - off))] ?? 0;
  const high = sorted[Math.min(sorted.length - 1, Math.ceil(middle + off))] ?? 0;
  return (high - low) / 2;
}
