/** Small letters are the one form in which rows have UUIDs: RFC 9562 §4 reads both, and texts of two cases would be two rows, two unique values, two references. */
export function foldUuid(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}
