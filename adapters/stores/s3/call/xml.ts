const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** The contents of all elements of a name; elements of this name are not nested. Responses of S3 contain no relevant attributes, comments or CDATA. */
export function elementsOf(xml: string, name: string): readonly string[] {
  return Array.from(xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, "g")), ([, content = ""]) => content);
}

/** The text of the first element of a name; `undefined` if there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const [content] = elementsOf(xml, name);
  return content?.replace(/&(?:#(\d+)|#x([0-9A-Fa-f]+)|(\w+));/g, (all, decimal?: string, hexadecimal?: string, entity?: string) => {
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    return (entity === undefined ? characterOf(code) : entities[entity]) ?? all;
  });
}

function characterOf(code: number): string | undefined {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined;
}

/** Escapes a text for the content of an element. */
export function escapeXml(text: string): string {
  return text.replace(/[<>&]/g, (character) => ({ "<": "&lt;", ">": "&gt;" })[character] ?? "&amp;");
}
