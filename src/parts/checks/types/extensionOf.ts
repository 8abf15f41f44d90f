/** The extension of a file name, in lower case and without the dot; `""` if there is no dot, or nothing before it. */
export function extensionOf(filename: string): string {
  const dot = filename.lastIndexOf(".");
  return dot > 0 ? filename.slice(dot + 1).toLowerCase() : "";
}
