import { deflateSync } from "node:zlib";

const header = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n";
const trailer = "trailer\n<< /Root 1 0 R /Size 9 >>\nstartxref\n0\n%%EOF\n";

/** A PDF of one page, with these entries in its catalogue and these objects after it. */
export function pdf(catalog = "", ...objects: readonly (string | Uint8Array)[]): Buffer {
  const first = `1 0 obj\n<< /Type /Catalog /Pages 2 0 R ${catalog} >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n`;
  return Buffer.concat([header, first, ...objects, trailer].map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
}

export function pdfStream(number: number, dictionary: string, data: Uint8Array | string): Buffer {
  return Buffer.concat([
    Buffer.from(`${number} 0 obj\n<< ${dictionary} /Length ${data.length} >>\nstream\n`),
    Buffer.from(data as string, "latin1"),
    Buffer.from("\nendstream\nendobj\n"),
  ]);
}

/** Objects in a stream of their own, compressed. */
export function objectStream(
  objects: Readonly<Record<number, string>>,
  dictionary = "/Type /ObjStm /Filter /FlateDecode",
  encode: (plain: Buffer) => Uint8Array = deflateSync,
): Buffer {
  let body = "";
  const places = Object.entries(objects).map(([number, text]) => {
    const place = `${number} ${body.length}`;
    body += `${text} `;
    return place;
  });
  const head = `${places.join(" ")} `;
  return pdfStream(20, `${dictionary} /N ${places.length} /First ${head.length}`, encode(Buffer.from(head + body, "latin1")));
}
