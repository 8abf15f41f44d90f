/** The least that can be done: every parameter decoded into an object, repeated ones into arrays. */
export function walkParameters(query: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = Object.create(null);
  new URLSearchParams(query).forEach((value, key) => {
    const before = found[key];
    if (before === undefined) found[key] = value;
    else if (typeof before === "string") found[key] = [before, value];
    else before.push(value);
  });
  return found;
}
