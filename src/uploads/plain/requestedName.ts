const extended = /(?:^|;)\s*filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^']*'([^\s;]+)/i;
const quoted = /(?:^|;)\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i;
const bare = /(?:^|;)\s*filename\s*=\s*([^\s;"]+)/i;

/**
 * The name of a file in the Content-Disposition of a request; `filename*` counts before `filename`.
 *
 * @param header its bytes as characters
 * @see RFC 6266 §4.3, RFC 8187
 */
export function requestedName(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [, encoded] = extended.exec(header) ?? [];
  const decoded = encoded && decode(encoded);
  if (decoded) return decoded;
  const [, text] = quoted.exec(header) ?? [];
  const name = text?.replace(/\\(.)/g, "$1") ?? bare.exec(header)?.[1];
  return name === undefined ? undefined : Buffer.from(name, "latin1").toString("utf8");
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
