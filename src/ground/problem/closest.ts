/** The closest known name within a number of edits, as a hint for a typing error. */
export function closest(name: string, known: Iterable<string>, maxEdits = 2): string | undefined {
  let best: string | undefined;
  let bestDistance = maxEdits + 1;
  const lower = name.length > maxName ? name : name.toLowerCase();
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    if (candidate.toLowerCase() === lower) return candidate;
    const distance = editDistance(name, candidate, bestDistance);
    if (distance < bestDistance && distance < candidate.length) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

const maxName = 128;

/** The Levenshtein distance, or `bound` if it is not less. It needs only two rows of the table. */
function editDistance(left: string, right: string, bound: number): number {
  if (left.length > maxName) return bound;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const cost = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substitution);
      current.push(cost);
      if (cost < least) least = cost;
    }
    if (least >= bound) return bound;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
