import type { ExportedRows } from "./calls/export.js";
import type { ImportedFile } from "./calls/import.js";
import type { OffsetQuery } from "./calls/offset.js";
import type { RowWalk, WalkQuery } from "./calls/walk.js";
import type { WatchQuery } from "./calls/watch.js";
import { later } from "./later.js";
import { liveLater } from "./liveLater.js";
import { checkOptions, type GuardedOptions, guardedNames, type WriteOptions, writeNames } from "./options.js";
import { encode, idPath, type ListQuery, parametersOf, queryNames, queryText, type RowId, type WirePage } from "./parameters.js";
import { noteTag } from "./rowTags.js";
import type { Outgoing, Send } from "./transport/transport.js";
import type { LiveQuery } from "./types/live.js";

/** What makes changes of the row as it is. */
export type ChangeBy = (row: never) => object | Promise<object>;

/** What single requests do not need is loaded when it is called. */
export const more = () => import("./more.js");

/** What follows rows, which most pages do not need besides. */
const following = async () => (await more()).following();

/** Sends a request of a method of a collection, whose options may have the allowed names. */
export type SendCall = (method: string, options: object, allowed: string, outgoing: Omit<Outgoing, "operation" | "options">) => Promise<unknown>;

/** The methods of a collection, and what makes those of its actions. */
export function resourceCalls(send: Send, name: string) {
  const path = `/${encode(name)}`;
  /** @returns the row or list; for a 304 the row that the caller has */
  const call: SendCall = async (method, options, allowed, outgoing) => {
    const operation = `${name}.${method}`;
    checkOptions(operation, options, allowed);
    const { value, headers } = await send({ operation, options, ...outgoing });
    noteTag(value, headers.get("etag"));
    return value === undefined ? (options as { readonly ifNoneMatch?: object }).ifNoneMatch : value;
  };

  const calls = {
    list: async (options: OffsetQuery = {}) =>
      call("list", options, `${queryNames}offset limit `, (await more()).listRequest(name, options)) as Promise<WirePage>,
    get: async (id: RowId, options: ListQuery = {}) =>
      call("get", options, "fields exclude include ifNoneMatch ", {
        method: "GET",
        path: path + idPath(id) + queryText(parametersOf(options)),
        takes: 304,
      }),
    create: async (json: unknown, options: WriteOptions = {}) => call("create", options, writeNames, { method: "POST", path, json }),
    update: async (id: RowId, json: object | ChangeBy, options: GuardedOptions = {}): Promise<unknown> =>
      typeof json === "function"
        ? (await more()).updateBy(calls, id, json as ChangeBy, options)
        : call("update", options, guardedNames, { method: "PATCH", path: path + idPath(id), json, type: "application/merge-patch+json" }),
    replace: async (id: RowId, json: unknown, options: GuardedOptions = {}) =>
      call("replace", options, guardedNames, { method: "PUT", path: path + idPath(id), json }),
    remove: async (id: RowId, options: GuardedOptions = {}) => call("remove", options, guardedNames, { method: "DELETE", path: path + idPath(id) }),
    count: async (options: ListQuery = {}) => (await calls.list({ ...options, perPage: 1, count: "exact" })).meta.total,
    walk(options: WalkQuery = {}): RowWalk {
      checkOptions(`${name}.walk`, options, `${queryNames}limit `);
      const walk = async () => (await more()).walkRows(calls.list, options);
      return { ...later(walk), pages: () => later(async () => (await walk()).pages()), toArray: async (bound) => (await walk()).toArray(bound) };
    },
    watch: (options: WatchQuery = {}) => later(async (left) => (await following()).watchRows(send, name, options, left)),
    live: (options: LiveQuery = {}) => liveLater(following, { send, collection: name, walk: calls.walk }, options),
    import: async (file: ImportedFile, options: object = {}) => (await more()).importFile(send, name, file, options),
    export(options: object = {}): ExportedRows {
      const open = async () => (await more()).exportRows(send, name, options);
      return { ...later(open), blob: async (format) => (await open()).blob(format) };
    },
  };

  const action =
    (method: string, isRead: boolean) =>
    async (...given: unknown[]) =>
      (await more()).callAction(call, path, method, isRead, given);
  return { ...calls, action };
}

/** The methods of every collection. */
export type ResourceCalls = Omit<ReturnType<typeof resourceCalls>, "action">;
