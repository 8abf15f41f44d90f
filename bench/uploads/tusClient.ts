import { Connection, type Received } from "../tools/connection.js";
import { repeated } from "./repeated.js";

/** An upload that was begun. */
export interface BegunUpload {
  readonly path: string;
  readonly bytes: number;
}

/** @throws {Error} unless it is answered 201 */
export async function beginUpload(connection: Connection, bytes: number): Promise<BegunUpload> {
  const lines = ["content-length: 0", `upload-length: ${bytes}`, `upload-metadata: filename ${btoa("file.bin")}`];
  const answer = await connection.send(headOf("POST", "/uploads", lines));
  return { path: new URL(headerOf(required(answer, 201), "location"), "http://127.0.0.1").pathname, bytes };
}

/** Sends so many bytes behind `offset`. @throws {Error} unless they are taken */
export async function sendPiece(connection: Connection, { path }: BegunUpload, offset: number, bytes: number): Promise<void> {
  const answer = await connection.sendBody(pieceHead(path, offset, bytes), repeated(bytes));
  const reached = headerOf(required(answer, 204), "upload-offset");
  if (reached !== String(offset + bytes)) throw new Error(`${path} has come to ${reached}, not to ${offset + bytes}.`);
}

/** The head of a PATCH. */
export function pieceHead(path: string, offset: number, bytes: number): string {
  return headOf("PATCH", path, ["content-type: application/offset+octet-stream", `upload-offset: ${offset}`, `content-length: ${bytes}`]);
}

/** Sends a file in pieces, one after the other, on a connection of its own. */
export async function sendInPieces(port: number, bytes: number, chunkBytes: number): Promise<BegunUpload> {
  const connection = await Connection.open(port);
  try {
    const upload = await beginUpload(connection, bytes);
    for (let at = 0; at < bytes; at += chunkBytes) await sendPiece(connection, upload, at, Math.min(chunkBytes, bytes - at));
    return upload;
  } finally {
    connection.close();
  }
}

/** How many bytes the server says that it has. */
export async function offsetOf(connection: Connection, { path }: Pick<BegunUpload, "path">): Promise<number> {
  const answer = await connection.send(headOf("HEAD", path, []));
  return Number(headerOf(required(answer, answer.status === 204 ? 204 : 200), "upload-offset"));
}

/** @throws {Error} unless it is removed */
export async function removeUpload(connection: Connection, { path }: Pick<BegunUpload, "path">): Promise<void> {
  required(await connection.send(headOf("DELETE", path, ["content-length: 0"])), 204);
}

function headOf(method: string, path: string, lines: readonly string[]): string {
  return `${[`${method} ${path} HTTP/1.1`, "host: 127.0.0.1", "tus-resumable: 1.0.0", ...lines].join("\r\n")}\r\n\r\n`;
}

function required(answer: Received, status: number): Received {
  if (answer.status !== status) throw new Error(`Expected ${status}, got ${answer.status}:\n${answer.head}\n\n${answer.body}`);
  return answer;
}

function headerOf({ head }: Received, name: string): string {
  const line = head.split("\r\n").find((each) => each.toLowerCase().startsWith(`${name}: `));
  if (line === undefined) throw new Error(`The answer has no "${name}":\n${head}`);
  return line.slice(name.length + 2);
}
