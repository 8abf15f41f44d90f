/** What is behind the last dot of a file name, in lower case and without the dot; `""` where there is none, or nothing before it. */
export function extensionOf(filename: string): string {
  const dot = filename.lastIndexOf(".");
  return dot > 0 ? filename.slice(dot + 1).toLowerCase() : "";
}
