import type { S3Client } from "restwright/s3";

/** A client of one's own, on `fetch`, as `s3Blobs` takes it. */
export const fetchClient: S3Client = async ({ method, url, headers, body, signal }) => {
  const response = await fetch(url, {
    method,
    headers,
    body: method === "PUT" || method === "POST" ? Buffer.concat(body) : null,
    signal,
    redirect: "manual",
  });
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    body: response.body,
  };
};
