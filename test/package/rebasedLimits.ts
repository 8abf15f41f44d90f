/** What size-limit prints about an entry. */
export interface MeasuredSize {
  readonly name: string;
  readonly size: number;
  /** The limit in force, in bytes. */
  readonly sizeLimit: number;
}

/** The room of a limit above the measured size, and the bytes to which a limit is rounded up. */
const room = 1.02;
const stepBytes = 10;

/**
 * The text of `.size-limit.json` with limits of the measured size + 2 %; nothing else of it changes.
 *
 * @returns the text, and the limits before and after in bytes
 * @throws {Error} if an entry of the file was not measured
 */
export function rebasedLimits(
  text: string,
  measured: readonly MeasuredSize[],
): { readonly text: string; readonly changes: readonly { readonly name: string; readonly before: number; readonly after: number }[] } {
  const names = (JSON.parse(text) as readonly { readonly name: string }[]).map(({ name }) => name);
  const changes = names.map((name) => {
    const entry = measured.find((one) => one.name === name);
    if (entry === undefined) throw new Error(`size-limit has not measured "${name}".`);
    return { name, before: entry.sizeLimit, after: Math.ceil((entry.size * room) / stepBytes) * stepBytes };
  });
  let index = 0;
  const written = text.replaceAll(/"limit": "[^"]*"/g, () => `"limit": "${changes[index++]?.after} B"`);
  if (index !== names.length) throw new Error(`The file has ${names.length} entries and ${index} limits; each entry needs one.`);
  return { text: written, changes };
}
