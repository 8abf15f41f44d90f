const images: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/**
 * Whether a browser may show a file of this type in place of saving it: pictures, sound, films and plain text, none of which can run a script. SVG and HTML can.
 *
 * @param type `type/subtype` in lower case
 */
export function mayStandInline(type: string): boolean {
  return images.has(type) || type === "text/plain" || type.startsWith("audio/") || type.startsWith("video/");
}
