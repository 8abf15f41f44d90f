import type { QueryPair } from "../../src/auth/aws4/canonicalRequest.js";
import { isBlobKey } from "../../src/storage/blobKey.js";
import type { S3Api, S3Call } from "./api.js";
import type { Upload } from "./multipart.js";
import { isMissing, wholeSeconds } from "./objects.js";
import { elementsOf, textOf } from "./xml.js";

/** An object in a listing. */
export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly lastModified: Date;
}

/** An upload in a listing. */
export interface ListedUpload extends Upload {
  readonly begun: Date;
}

/** The objects whose keys begin with `prefix`; what are no keys of blobs is passed over. */
export async function* listObjects(api: S3Api, prefix: string): AsyncGenerator<ListedObject> {
  const { prefix: ours } = api.options.place;
  // What others keep below a slash is passed over by S3 itself.
  const query = [pair("list-type", "2"), pair("prefix", ours + prefix), pair("delimiter", "/")];
  const call = { name: "ListObjectsV2", method: "GET", query } as const;
  const next = (xml: string) => tokens(xml, { "continuation-token": "NextContinuationToken" });
  for await (const xml of pagesOf(api, call, next)) {
    for (const entry of elementsOf(xml, "Contents")) {
      const key = keyOf(entry, ours);
      if (key === undefined) continue;
      yield { key, size: Number(textOf(entry, "Size")), lastModified: wholeSeconds(textOf(entry, "LastModified")) };
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
      const key = keyOf(entry, ours);
      const uploadId = textOf(entry, "UploadId");
      if (key !== undefined && uploadId !== undefined) yield { key, uploadId, begun: wholeSeconds(textOf(entry, "Initiated")) };
    }
  }
}

/** How much of an upload there is, and when its last part came; `undefined` where it has ended. */
export async function partsOf(api: S3Api, { key, uploadId, begun }: ListedUpload): Promise<Omit<ListedObject, "key"> | undefined> {
  const call = { name: "ListParts", method: "GET", key, query: [pair("uploadId", uploadId)] } as const;
  const next = (xml: string) => tokens(xml, { "part-number-marker": "NextPartNumberMarker" });
  let size = 0;
  let lastMs = begun.getTime();
  try {
    for await (const xml of pagesOf(api, call, next)) {
      for (const part of elementsOf(xml, "Part")) {
        size += Number(textOf(part, "Size"));
        lastMs = Math.max(lastMs, wholeSeconds(textOf(part, "LastModified")).getTime());
      }
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return { size, lastModified: new Date(lastMs) };
}

/** One answer after the other, until one says that it is the last. */
async function* pagesOf(api: S3Api, call: S3Call, next: (xml: string) => readonly QueryPair[]): AsyncGenerator<string> {
  for (let more: readonly QueryPair[] = []; ; ) {
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

function keyOf(entry: string, ours: string): string | undefined {
  const name = textOf(entry, "Key") ?? "";
  const key = name.slice(ours.length);
  return name.startsWith(ours) && isBlobKey(key) ? key : undefined;
}
