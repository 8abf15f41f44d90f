import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { beginUpload, completeUpload, type FakeBucket, FakeError, type FakeObject, objectOf, uploadOf } from "./bucket.js";
import { document, objectsXml, partsXml, uploadsXml, xmlText } from "./listings.js";

export interface FakeCall {
  /** `PutObject`. */
  readonly name: string;
  readonly key: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly pageSize: number;
  readonly equalParts: boolean;
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

interface Operation {
  readonly name: string;
  matches(request: { readonly method: string; readonly key: string; readonly url: URL }): boolean;
  run(bucket: FakeBucket, call: FakeCall): FakeAnswer;
}

const presigned = /^X-Amz-/;

/** @param on whether it is about a bucket or about what is in it; @param needed parameters that there must be; @param allowed others that there may be */
function operation(
  name: string,
  [method, on]: readonly [string, "bucket" | "key"],
  [needed, allowed]: readonly [readonly string[], readonly string[]],
  run: Operation["run"],
): Operation {
  const matches: Operation["matches"] = (request) => {
    const names = [...request.url.searchParams.keys()].filter((parameter) => !presigned.test(parameter));
    const isComplete = needed.every((parameter) => names.includes(parameter)) && names.every((one) => [...needed, ...allowed].includes(one));
    return request.method === method && (request.key === "") === (on === "bucket") && isComplete && new Set(names).size === names.length;
  };
  return { name, matches, run };
}

const query =
  ({ url }: FakeCall) =>
  (name: string) =>
    url.searchParams.get(name) ?? "";

const typeOf = ({ headers }: FakeCall) => headers["content-type"] ?? "binary/octet-stream";

export const operations: readonly Operation[] = [
  operation("HeadBucket", ["HEAD", "bucket"], [[], []], () => ({})),
  operation("ListObjectsV2", ["GET", "bucket"], [["list-type"], ["prefix", "delimiter", "continuation-token"]], (bucket, call) => ({
    body: objectsXml(bucket, query(call), call.pageSize),
  })),
  operation("ListMultipartUploads", ["GET", "bucket"], [["uploads"], ["prefix", "key-marker", "upload-id-marker"]], (bucket, call) => ({
    body: uploadsXml(bucket, query(call), call.pageSize),
  })),
  operation("HeadObject", ["HEAD", "key"], [[], []], getObject),
  operation("GetObject", ["GET", "key"], [[], ["response-content-type", "response-content-disposition"]], getObject),
  operation("PutObject", ["PUT", "key"], [[], []], (bucket, call) => {
    const object = objectOf(call.body, typeOf(call));
    bucket.objects.set(call.key, object);
    return { headers: { etag: object.etag } };
  }),
  operation("DeleteObject", ["DELETE", "key"], [[], []], (bucket, { key }) => {
    bucket.objects.delete(key);
    return { status: 204 };
  }),
  operation("CreateMultipartUpload", ["POST", "key"], [["uploads"], []], (bucket, call) => {
    const { id } = beginUpload(bucket, call.key, typeOf(call));
    return { body: document("InitiateMultipartUploadResult", [`<UploadId>${xmlText(id)}</UploadId>`]) };
  }),
  operation("UploadPart", ["PUT", "key"], [["partNumber", "uploadId"], []], (bucket, call) => {
    const number = Number(query(call)("partNumber"));
    if (!Number.isInteger(number) || number < 1 || number > 10_000) throw new FakeError(400, "InvalidArgument");
    const part = objectOf(call.body, "");
    uploadOf(bucket, call.key, query(call)("uploadId")).parts.set(number, part);
    return { headers: { etag: part.etag } };
  }),
  operation("CompleteMultipartUpload", ["POST", "key"], [["uploadId"], []], (bucket, call) => {
    const upload = uploadOf(bucket, call.key, query(call)("uploadId"));
    const { etag } = completeUpload(bucket, upload, call.body.toString(), call.equalParts);
    return { body: document("CompleteMultipartUploadResult", [`<ETag>${xmlText(etag)}</ETag>`]) };
  }),
  operation("AbortMultipartUpload", ["DELETE", "key"], [["uploadId"], []], (bucket, call) => {
    bucket.uploads.delete(uploadOf(bucket, call.key, query(call)("uploadId")).id);
    return { status: 204 };
  }),
  operation("ListParts", ["GET", "key"], [["uploadId"], ["part-number-marker"]], (bucket, call) => ({
    body: partsXml(uploadOf(bucket, call.key, query(call)("uploadId")), query(call), call.pageSize),
  })),
];

function getObject({ objects }: FakeBucket, call: FakeCall): FakeAnswer {
  const object = objects.get(call.key);
  if (object === undefined) throw new FakeError(404, "NoSuchKey");
  const { "if-match": expected, range } = call.headers;
  if (expected !== undefined && expected !== object.etag) throw new FakeError(412, "PreconditionFailed");
  const headers = headersOf(object, query(call));
  if (range === undefined) return { headers, body: object.bytes };
  const size = object.bytes.length;
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  const [start, end] = [Number(first), Math.min(Number(last) + 1, size)];
  if (!(start < size && start < end)) throw new FakeError(416, "InvalidRange");
  return { status: 206, headers: { ...headers, "content-range": `bytes ${start}-${end - 1}/${size}` }, body: object.bytes.subarray(start, end) };
}

function headersOf({ contentType, etag, modified }: FakeObject, query: (name: string) => string): OutgoingHttpHeaders {
  const disposition = query("response-content-disposition");
  return {
    "content-type": query("response-content-type") || contentType,
    etag,
    "last-modified": modified.toUTCString(),
    "accept-ranges": "bytes",
    ...(disposition === "" ? {} : { "content-disposition": disposition }),
  };
}
