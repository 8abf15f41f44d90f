import { type CallOptions, checkOptions } from "../options.js";
import { encode, type ListQuery } from "../parameters.js";
import { listText, searchBody } from "../query.js";
import { chunksOf, linesOf } from "../transport/stream.js";
import type { Answer, Send } from "../transport/transport.js";
import type { FileFormat } from "./import.js";
import { jobOf } from "./job.js";

/** The rows of an export, as they arrive. */
export interface ExportedRows<Row = unknown> extends AsyncIterable<Row> {
  /** The export as a file (default: CSV). */
  blob(format?: FileFormat): Promise<Blob>;
}

/** An export: a stream, or the file of a job if the query string cannot say the filter. */
export function exportRows(send: Send, collection: string, options: ListQuery & CallOptions): ExportedRows {
  const operation = `${collection}.export`;
  checkOptions(operation, options, "where q sort fields exclude ");

  async function open(format: FileFormat): Promise<Answer> {
    const text = listText(options, [`format=${format}`]);
    const get = (path: string) => send({ operation, method: "GET", path, options, headers: { accept: "*/*" }, streams: true });
    if (text !== undefined) return get(`/${encode(collection)}/export${text}`);
    const { value } = await send({ operation, method: "POST", path: "/exports", json: { ...searchBody(collection, options), format }, options });
    const path = `/exports/${(value as { id: string }).id}`;
    await jobOf(send, operation, path, options).result();
    return get(`${path}/download`);
  }

  return {
    async *[Symbol.asyncIterator]() {
      for await (const line of linesOf(await open("ndjson"))) yield JSON.parse(line);
    },
    async blob(format = "csv") {
      const answer = await open(format);
      const parts: Uint8Array<ArrayBuffer>[] = [];
      for await (const chunk of chunksOf(answer)) parts.push(chunk as Uint8Array<ArrayBuffer>);
      return new Blob(parts, { type: answer.headers.get("content-type") ?? "" });
    },
  };
}
