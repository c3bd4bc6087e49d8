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
