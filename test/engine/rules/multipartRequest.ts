import type { Sent } from "../../tools/client.js";

/** A batch of one operation as multipart. */
export function multipartRequest({ method, target, body }: Required<Pick<Sent, "method" | "target">> & Pick<Sent, "body">): Partial<Sent> {
  const type = body === undefined ? [] : [`Content-Type: application/${method === "PATCH" ? "merge-patch+json" : "json"}`];
  const request = [`${method} ${target} HTTP/1.1`, ...type, "", body === undefined ? "" : JSON.stringify(body)];
  const lines = ["--b", "Content-Type: application/http", "Content-ID: <one>", "", ...request, "--b--", ""];
  return { body: lines.join("\r\n"), headers: { "content-type": "multipart/mixed; boundary=b", accept: "application/json" } };
}
