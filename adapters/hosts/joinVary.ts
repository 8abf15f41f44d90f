/** The host's own `Vary` followed by ours, each field name once. */
export function joinVary(own: number | string | readonly string[] | undefined, added: string | readonly string[]): string {
  const names = new Map<string, string>();
  for (const name of [own ?? [], added].flat().join(",").split(",")) {
    const trimmed = name.trim();
    if (trimmed !== "" && !names.has(trimmed.toLowerCase())) {
      names.set(trimmed.toLowerCase(), trimmed);
    }
  }
  return [...names.values()].join(", ");
}
