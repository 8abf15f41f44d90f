import type { QueryPair } from "../../src/auth/aws4/canonicalRequest.js";
import { isBlobKey } from "../../src/storage/blobKey.js";
import type { S3Api, S3Call } from "./api.js";
import type { Upload, UploadedPart } from "./multipart.js";
import { etagOf, wholeSeconds } from "./objects.js";
import { mostParts } from "./partBytes.js";
import { elementsOf, textOf } from "./xml.js";

/** Bytes that S3 has. */
export interface Stored {
  readonly size: number;
  readonly lastModified: Date;
}

/** An object in a listing: a blob, or the tail of a draft. */
export interface ListedObject extends Stored {
  /** Of the blob; that of a draft, for a tail. */
  readonly key: string;
  /** Which tail it is. */
  readonly tail: string | undefined;
}

/** A part in a listing. */
export interface ListedPart extends UploadedPart, Stored {}

/** An upload in a listing. */
export interface ListedUpload extends Upload {
  readonly begun: Date;
}

/** What a name says: the key of a blob, or of a draft and which of its tails. */
const objectName = /^([^.]+)(?:\.([A-Za-z0-9_-]{22})\.tail)?$/;

/** The objects whose names begin with `prefix`; what is neither a blob nor the tail of a draft is passed over. */
export async function* listObjects(api: S3Api, prefix: string): AsyncGenerator<ListedObject> {
  const { prefix: ours } = api.options.place;
  // What others keep below a slash is passed over by S3 itself.
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

/** The parts of an upload with higher numbers than `after`, in the order of their numbers. It is a 404 where the upload has ended. */
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

/** Resolves where the upload has not ended; it is a 404 otherwise. */
export async function requireUpload(api: S3Api, upload: Upload): Promise<void> {
  await listParts(api, upload, mostParts).next();
}

/** One answer after the other, until one says that it is the last. */
async function* pagesOf(
  api: S3Api,
  call: S3Call,
  next: (xml: string) => readonly QueryPair[],
  first: readonly QueryPair[] = [],
): AsyncGenerator<string> {
  for (let more = first; ; ) {
    const { text } = await api.send({ ...call, query: [...(call.query ?? []), ...more] });
    const isTruncated = textOf(text, "IsTruncated");
    if (isTruncated === undefined) throw new Error(`S3 answered ${call.name} with something else. Check that the endpoint is one of S3.`);
    yield text;
    more = isTruncated === "true" ? next(text) : [];
    if (more.length === 0) return;
  }
}

/** Where the next page begins, by the names of the parameters that say it. */
function tokens(xml: string, names: Readonly<Record<string, string>>): readonly QueryPair[] {
  return Object.entries(names).flatMap(([parameter, element]) => {
    const value = textOf(xml, element);
    return value ? [pair(parameter, value)] : [];
  });
}

function pair(name: string, value: string): QueryPair {
  return [name, value];
}

/** The name of an entry behind our prefix; empty where it is none of ours. */
function nameOf(entry: string, ours: string): string {
  const name = textOf(entry, "Key") ?? "";
  return name.startsWith(ours) ? name.slice(ours.length) : "";
}
