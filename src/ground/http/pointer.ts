/**
 * A JSON pointer: `["a/b", 0]` → `/a~1b/0`; the empty path is the whole document.
 *
 * @see RFC 6901 §3
 */
export function pointer(path: readonly (string | number)[]): string {
  let text = "";
  for (const step of path) {
    text += `/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return text;
}
