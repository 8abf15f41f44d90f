import type { FakeBucket, FakeObject, FakeUpload } from "./bucket.js";

/** What is asked of a listing. */
type Query = (name: string) => string;

/** By pages; a prefix behind the delimiter is one entry. Dates have milliseconds here and none in headers, as some servers have it. */
export function objectsXml({ objects }: FakeBucket, query: Query, pageSize: number): string {
  const [prefix, delimiter] = [query("prefix"), query("delimiter")];
  const entries = new Map<string, FakeObject | undefined>();
  for (const [key, object] of objects) {
    if (!key.startsWith(prefix)) continue;
    const cut = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    entries.set(cut === -1 ? key : key.slice(0, cut + 1), cut === -1 ? object : undefined);
  }
  const { page, last } = pageOf([...entries.keys()], query("continuation-token"), pageSize);
  const contents = page.map((key) => {
    const object = entries.get(key);
    if (object === undefined) return `<CommonPrefixes><Prefix>${xmlText(key)}</Prefix></CommonPrefixes>`;
    const { etag, bytes, modified } = object;
    return `<Contents><Key>${xmlText(key)}</Key><LastModified>${modified.toISOString()}</LastModified><ETag>${xmlText(etag)}</ETag><Size>${bytes.length}</Size><Owner><ID>1</ID></Owner></Contents>`;
  });
  return document("ListBucketResult", contents, last === undefined ? {} : { NextContinuationToken: last });
}

export function uploadsXml({ uploads }: FakeBucket, query: Query, pageSize: number): string {
  const found = new Map<string, FakeUpload>();
  for (const upload of uploads.values()) if (upload.key.startsWith(query("prefix"))) found.set(`${upload.key}\n${upload.id}`, upload);
  const marker = query("key-marker") === "" ? "" : `${query("key-marker")}\n${query("upload-id-marker")}`;
  const { page, last } = pageOf([...found.keys()], marker, pageSize);
  const contents = page.map((name) => {
    const { key = "", id = "", initiated = new Date(0) } = found.get(name) ?? {};
    return `<Upload><Key>${xmlText(key)}</Key><UploadId>${xmlText(id)}</UploadId><Initiator><ID>1</ID></Initiator><Initiated>${initiated.toISOString()}</Initiated></Upload>`;
  });
  const [nextKey = "", nextId = ""] = last?.split("\n") ?? [];
  return document("ListMultipartUploadsResult", contents, last === undefined ? {} : { NextKeyMarker: nextKey, NextUploadIdMarker: nextId });
}

export function partsXml({ parts }: FakeUpload, query: Query, pageSize: number): string {
  const names = [...parts.keys()].map((number) => String(number).padStart(5, "0"));
  const { page, last } = pageOf(names, query("part-number-marker").padStart(5, "0"), pageSize);
  const contents = page.map((name) => {
    const { bytes, etag, modified } = parts.get(Number(name)) ?? {};
    return `<Part><PartNumber>${Number(name)}</PartNumber><LastModified>${modified?.toISOString()}</LastModified><ETag>${xmlText(etag ?? "")}</ETag><Size>${bytes?.length}</Size></Part>`;
  });
  return document("ListPartsResult", contents, last === undefined ? {} : { NextPartNumberMarker: String(Number(last)) });
}

export function document(root: string, contents: readonly string[], next: Readonly<Record<string, string>> = {}): string {
  const tokens = Object.entries(next).map(([name, value]) => `<${name}>${xmlText(value)}</${name}>`);
  const isTruncated = `<IsTruncated>${tokens.length > 0}</IsTruncated>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${isTruncated}${tokens.join("")}${contents.join("")}</${root}>`;
}

export function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function pageOf(names: readonly string[], after: string, pageSize: number): { readonly page: readonly string[]; readonly last: string | undefined } {
  const rest = names.filter((name) => name > after).sort();
  const page = rest.slice(0, pageSize);
  return { page, last: rest.length > pageSize ? page.at(-1) : undefined };
}
