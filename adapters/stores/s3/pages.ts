import { isBlobKey } from "../../../src/ground/storage/files/blobKey.js";
import type { QueryPair } from "../../../src/parts/auth/aws4/canonicalRequest.js";
import type { S3Api, S3Call } from "./call/api.js";
import { elementsOf, textOf } from "./call/xml.js";
import type { Upload, UploadedPart } from "./multipart.js";
import { etagOf, wholeSeconds } from "./objects.js";
import { maxParts } from "./partBytes.js";

/** Bytes that S3 stores. */
export interface Stored {
  readonly size: number;
  readonly lastModified: Date;
}

/** An object in a listing: a blob, or the tail of a draft. */
export interface ListedObject extends Stored {
  /** The key of the blob, or of the draft of a tail. */
  readonly key: string;
  /** The id of the tail. */
  readonly tail: string | undefined;
}

/** A part in a listing. */
export interface ListedPart extends UploadedPart, Stored {}

/** An upload in a listing. */
export interface ListedUpload extends Upload {
  readonly begun: Date;
}

/** A parsed object name: the key of a blob, or the key of a draft and the id of its tail. */
const objectName = /^([^.]+)(?:\.([A-Za-z0-9_-]{22})\.tail)?$/;

/** The objects whose names begin with `prefix`; those that are neither blobs nor tails of drafts are skipped. */
export async function* listObjects(api: S3Api, prefix: string): AsyncGenerator<ListedObject> {
  const { prefix: ours } = api.options.place;
  // With the delimiter S3 skips what others store below a slash.
  const query = [pair("list-type", "2"), pair("prefix", ours + prefix), pair("delimiter", "/")];
  const call = { name: "ListObjectsV2", method: "GET", query } as const;
  const next = (xml: string) => tokens(xml, { "continuation-token": "NextContinuationToken" });
  for await (const xml of pagesOf(api, call, next)) {
    for (const entry of elementsOf(xml, "Contents")) {
      const [key = "", tail] = objectName.exec(nameOf(entry, ours))?.slice(1) ?? [];
      if (!isBlobKey(key)) continue;
      yield { key, tail, size: Number(textOf(entry, "Size")), lastModified: wholeSeconds(textOf(entry, "LastModified")) };
    }
  }
}

/** The uploads whose keys begin with `prefix` and that were neither completed nor aborted. */
export async function* listUploads(api: S3Api, prefix: string): AsyncGenerator<ListedUpload> {
  const { prefix: ours } = api.options.place;
  const call = { name: "ListMultipartUploads", method: "GET", query: [pair("uploads", ""), pair("prefix", ours + prefix)] } as const;
  const next = (xml: string) => tokens(xml, { "key-marker": "NextKeyMarker", "upload-id-marker": "NextUploadIdMarker" });
  for await (const xml of pagesOf(api, call, next)) {
    for (const entry of elementsOf(xml, "Upload")) {
      const key = nameOf(entry, ours);
      const uploadId = textOf(entry, "UploadId");
      if (isBlobKey(key) && uploadId !== undefined) yield { key, uploadId, begun: wholeSeconds(textOf(entry, "Initiated")) };
    }
  }
}

/** The parts of an upload with numbers above `after`, in order. Responds 404 if the upload has ended. */
export async function* listParts(api: S3Api, { key, uploadId }: Upload, after = 0): AsyncGenerator<ListedPart> {
  const marker = after === 0 ? [] : [pair("part-number-marker", String(after))];
  const call = { name: "ListParts", method: "GET", key, query: [pair("uploadId", uploadId)] } as const;
  const next = (xml: string) => tokens(xml, { "part-number-marker": "NextPartNumberMarker" });
  for await (const xml of pagesOf(api, call, next, marker)) {
    for (const part of elementsOf(xml, "Part")) {
      const [number, size] = [Number(textOf(part, "PartNumber")), Number(textOf(part, "Size"))];
      yield { number, size, etag: etagOf(textOf(part, "ETag")), lastModified: wholeSeconds(textOf(part, "LastModified")) };
    }
  }
}

/** Resolves if the upload exists; rejects with a 404 otherwise. */
export async function requireUpload(api: S3Api, upload: Upload): Promise<void> {
  await listParts(api, upload, maxParts).next();
}

/** The pages of a listing, until one says that it is the last. */
async function* pagesOf(
  api: S3Api,
  call: S3Call,
  next: (xml: string) => readonly QueryPair[],
  first: readonly QueryPair[] = [],
): AsyncGenerator<string> {
  for (let more = first; ; ) {
    const { text } = await api.send({ ...call, query: [...(call.query ?? []), ...more] });
    const isTruncated = textOf(text, "IsTruncated");
    if (isTruncated === undefined)
      throw new Error(`S3 answered ${call.name} with an unexpected document. Check that the endpoint is an S3 endpoint.`);
    yield text;
    more = isTruncated === "true" ? next(text) : [];
    if (more.length === 0) return;
  }
}

/** The parameters of the next page. */
function tokens(xml: string, names: Readonly<Record<string, string>>): readonly QueryPair[] {
  return Object.entries(names).flatMap(([parameter, element]) => {
    const value = textOf(xml, element);
    return value ? [pair(parameter, value)] : [];
  });
}

function pair(name: string, value: string): QueryPair {
  return [name, value];
}

/** The name of an entry without the store's prefix; empty if it does not have the prefix. */
function nameOf(entry: string, ours: string): string {
  const name = textOf(entry, "Key") ?? "";
  return name.startsWith(ours) ? name.slice(ours.length) : "";
}
