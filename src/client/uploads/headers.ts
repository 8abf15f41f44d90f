function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** `Upload-Metadata`: each value in base64. */
export function metadataText(metadata: Readonly<Record<string, string | undefined>>): string {
  const encoder = new TextEncoder();
  return Object.entries(metadata)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name} ${base64(encoder.encode(value))}`)
    .join(",");
}

/** `Upload-Checksum`; `undefined` where the platform has no digests, such as on a page without TLS. */
export async function checksumOf(piece: ArrayBuffer): Promise<string | undefined> {
  const { subtle } = globalThis.crypto as Partial<typeof globalThis.crypto>;
  return subtle && `sha256 ${base64(new Uint8Array(await subtle.digest("SHA-256", piece)))}`;
}
