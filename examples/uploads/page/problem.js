/** No answer came at all. */
export const unreachable = "The server cannot be reached.";

/** What is wrong, in words: the detail and the code of RFC 9457, where the answer tells of a problem. */
export function problemText(status, text) {
  try {
    const { title, detail = title, code } = JSON.parse(text);
    if (typeof detail === "string") return code === undefined ? detail : `${detail} (${code})`;
  } catch {
    // Whatever stands between here and the API does not speak of problems.
  }
  return `The server gave an answer that was not expected, with status ${status}.`;
}
