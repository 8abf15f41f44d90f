import { randomBytes } from "node:crypto";
import type { Payload, S3Api } from "../call/api.js";
import { deleteObject, headObject, putObject } from "../objects.js";
import { listObjects } from "../pages.js";
import { readObject } from "../read.js";

const removedAtOnce = 16;

/** The bytes of a draft after its last part. */
export interface Tail {
  /** A unique id. */
  readonly id: string;
  readonly bytes: number;
}

/** Only such ids may become part of an object name. */
export function isTailId(text: unknown): boolean {
  return typeof text === "string" && /^[A-Za-z0-9_-]{22}$/.test(text);
}

/** The name of the object with the tail of a draft. Keys of blobs contain no dot. */
function nameOf(key: string, id: string): string {
  return `${key}.${id}.tail`;
}

export async function putTail(api: S3Api, key: string, payload: Payload): Promise<Tail> {
  const id = randomBytes(16).toString("base64url");
  await putObject(api, nameOf(key, id), undefined, payload);
  return { id, bytes: payload.length };
}

/** The bytes of a tail, which can be iterated once; `undefined` if it is gone. */
export async function openTail(api: S3Api, key: string, { id, bytes }: Tail): Promise<AsyncIterable<Uint8Array> | undefined> {
  const name = nameOf(key, id);
  const stat = await headObject(api, name);
  return stat?.size === bytes ? readObject(api, { key: name, etag: stat.etag, start: 0, end: bytes }) : undefined;
}

/** Does nothing if the tail is gone. */
export async function removeTails(api: S3Api, key: string, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += removedAtOnce)
    await Promise.all(ids.slice(at, at + removedAtOnce).map((id) => deleteObject(api, nameOf(key, id))));
}

/** Removes all tails of a key; `false` if there was none. */
export async function removeAllTails(api: S3Api, key: string): Promise<boolean> {
  const ids: string[] = [];
  for await (const { tail } of listObjects(api, `${key}.`)) if (tail !== undefined) ids.push(tail);
  await removeTails(api, key, ids);
  return ids.length > 0;
}
