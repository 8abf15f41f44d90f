import { createHash } from "node:crypto";

export interface FakeObject {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** With its quotes. */
  readonly etag: string;
  readonly modified: Date;
}

export interface FakeUpload {
  readonly id: string;
  readonly key: string;
  readonly contentType: string;
  readonly initiated: Date;
  readonly parts: Map<number, FakeObject>;
}

/** What is in a bucket. */
export interface FakeBucket {
  readonly objects: Map<string, FakeObject>;
  readonly uploads: Map<string, FakeUpload>;
}

/** An error as S3 answers it. */
export class FakeError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

const smallestPart = 5 * 1_048_576;
let uploads = 0;

export function objectOf(bytes: Buffer, contentType: string, etag = md5(bytes)): FakeObject {
  return { bytes, contentType, etag: `"${etag}"`, modified: new Date() };
}

export function beginUpload(bucket: FakeBucket, key: string, contentType: string): FakeUpload {
  uploads += 1;
  const upload = { id: `upload.${String(uploads).padStart(8, "0")}-&`, key, contentType, initiated: new Date(), parts: new Map() };
  bucket.uploads.set(upload.id, upload);
  return upload;
}

export function uploadOf({ uploads }: FakeBucket, key: string, id: string): FakeUpload {
  const upload = uploads.get(id);
  if (upload?.key !== key) throw new FakeError(404, "NoSuchUpload");
  return upload;
}

/** @param equal whether all parts but the last must have one length, as R2 wants it */
export function completeUpload(bucket: FakeBucket, upload: FakeUpload, xml: string, equal: boolean): FakeObject {
  const listed = Array.from(xml.matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag><\/Part>/g), ([, number, etag]) => ({
    number: Number(number),
    part: upload.parts.get(Number(number)),
    etag,
  }));
  if (listed.length === 0) throw new FakeError(400, "MalformedXML");
  const parts = listed.map(({ number, part, etag }, index) => {
    if (part === undefined || part.etag !== etag) throw new FakeError(400, "InvalidPart");
    if (index > 0 && number <= (listed[index - 1]?.number ?? 0)) throw new FakeError(400, "InvalidPartOrder");
    return part;
  });
  const [first] = parts;
  const isRegular = (length: number) => length >= smallestPart && (!equal || length === first?.bytes.length);
  if (!parts.slice(0, -1).every(({ bytes }) => isRegular(bytes.length))) throw new FakeError(400, "EntityTooSmall");
  if (equal && parts.length > 1 && (parts.at(-1)?.bytes.length ?? 0) > (first?.bytes.length ?? 0)) throw new FakeError(400, "InvalidPart");
  const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag.slice(1, -1), "hex")));
  const object = objectOf(Buffer.concat(parts.map(({ bytes }) => bytes)), upload.contentType, `${md5(digests)}-${parts.length}`);
  bucket.objects.set(upload.key, object);
  bucket.uploads.delete(upload.id);
  return object;
}

function md5(bytes: Buffer): string {
  return createHash("md5").update(bytes).digest("hex");
}
