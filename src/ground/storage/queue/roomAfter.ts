/** How many of the given characters remain after the JSON text of a value, without escapes; 0 or less as soon as the value is known not to fit. */
export function roomAfter(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length - 2;
  if (typeof value !== "object" || value === null) return room - 8;
  let left = room;
  if (value instanceof Uint8Array) return room - value.length;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left > 0; index++) left = roomAfter(value[index], left - 1);
    return left;
  }
  for (const name in value) {
    left = roomAfter((value as Readonly<Record<string, unknown>>)[name], left - name.length);
    if (left <= 0) break;
  }
  return left;
}
