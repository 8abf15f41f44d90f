import { type AdminClient, callEach, callsOf } from "../admin/adminClient.js";
import { changesOf } from "../admin/changes.js";
import { sendFiles } from "../admin/files.js";
import { type AdminId, idsOf } from "../admin/ids.js";
import type { Members } from "../admin/members.js";
import { type AdminOptions, checkAdminOptions } from "../admin/options.js";
import { readPage, readRows } from "../admin/rows.js";
import { writeAndShow } from "../admin/view.js";
import { etagOf } from "../rowTags.js";
import { transportOf } from "../transport/transportOf.js";
import { sendCustom } from "./custom.js";
import { queryOf } from "./filters.js";
import { asRefineError } from "./refineError.js";
import type {
  RefineCreateParams,
  RefineCustomParams,
  RefineListParams,
  RefineMeta,
  RefineProvider,
  RefineRowParams,
  RefineRowsParams,
  RefineUpdateManyParams,
  RefineUpdateParams,
} from "./types.js";

/** Options of `refineProvider`. */
export interface RefineOptions extends AdminOptions {
  /** The most rows of a list without pages, `pagination: { mode: "off" }` (10,000). */
  readonly maxRows?: number | undefined;
}

/**
 * A data provider for refine 5, over a client. A row that `getOne` has read, or that was written since, is changed only if it is still the same; else the error has the `statusCode` 412.
 *
 * @throws {TypeError} if `client` was not made by `createClient`, and for unknown options
 * @see https://refine.dev/docs/data/data-provider/
 * @example
 * <Refine dataProvider={refineProvider(shop)} resources={[{ name: "orders", list: "/orders" }]}>…</Refine>
 */
export function refineProvider(client: AdminClient, options: RefineOptions = {}): RefineProvider {
  const transport = transportOf(client, "refineProvider");
  checkAdminOptions("refineProvider", options, ["ids", "upload", "maxPerPage", "atomic", "maxRows"]);
  const { ids: names = {}, upload, maxPerPage = 100, atomic: isAtomic = true, maxRows = 10_000 } = options;
  const { idOf, namesOf, sent, shown, sortBy } = idsOf(names);
  /** The rows as forms got them, by their collection and id. */
  const seen = new Map<string, Members>();

  function show(resource: string, row: Members): Members {
    const named = shown(resource, row);
    if (etagOf(named) !== undefined) seen.set(keyOf(resource, named["id"] as AdminId), named);
    return named;
  }
  const rowIdOf = (resource: string) => (row: Members) => idOf(resource, shown(resource, row)["id"] as AdminId);

  const methods = {
    async getList({ resource, pagination = {}, sorters = [], filters, meta }: RefineListParams) {
      const calls = callsOf(client, resource);
      const sort = sorters.flatMap(({ field, order }) => sortBy(resource, field, order === "desc"));
      const query = { ...queryOf(filters), sort: sort.length > 0 ? sort : undefined, ...readOptions(meta) };
      const { currentPage: page = 1, pageSize: perPage = 10, mode = "server" } = pagination;
      if (mode === "server") {
        const { data, meta: found } = await readPage(calls, { count: "exact", ...query }, { page, perPage }, maxPerPage);
        return { data: data.map((row) => shown(resource, row as Members)), total: found.total ?? data.length };
      }
      const data = await calls.walk({ ...query, perPage: maxPerPage }).toArray({ limit: maxRows + 1 });
      if (data.length > maxRows) throw new TypeError(`"${resource}" has more than ${maxRows} rows: ask for pages, or set "maxRows".`);
      return { data: data.map((row) => shown(resource, row as Members)), total: data.length };
    },

    async getOne({ resource, id, meta }: RefineRowParams) {
      return { data: show(resource, (await callsOf(client, resource).get(idOf(resource, id), readOptions(meta))) as Members) };
    },

    async getMany({ resource, ids, meta }: RefineRowsParams) {
      const keys = ids.map((id) => idOf(resource, id));
      const rows = await readRows(callsOf(client, resource), keys, namesOf(resource), readOptions(meta), maxPerPage);
      return { data: rows.map((row) => shown(resource, row)) };
    },

    async create({ resource, variables, meta }: RefineCreateParams<unknown>) {
      const calls = callsOf(client, resource);
      const values = await sendFiles(sent(resource, variables as Members), upload);
      const row = await writeAndShow(calls, writeOptions(meta), rowIdOf(resource), (write) => calls.create(values, write));
      return { data: show(resource, row) };
    },

    async createMany({ resource, variables, meta }: RefineCreateParams<readonly unknown[]>) {
      const given: unknown[][] = [];
      for (const each of variables) given.push([await sendFiles(sent(resource, each as Members), upload)]);
      const rows = await callEach(client, { collection: resource, method: "create", isAtomic }, given, writeOptions(meta));
      return { data: rows.map((row) => shown(resource, row as Members)) };
    },

    async update({ resource, id, variables, meta }: RefineUpdateParams<unknown>) {
      const calls = callsOf(client, resource);
      const key = idOf(resource, id);
      const known = seen.get(keyOf(resource, id));
      const values = await sendFiles(sent(resource, variables as Members), upload);
      const { ifMatch = known, ...others } = writeOptions(meta);
      const guard = { ...others, ifMatch: ifMatch ?? undefined };
      // Without a condition the row may be any: all values are sent.
      const changes = changesOf((ifMatch !== null && known) || {}, values);
      const row = await writeAndShow(
        calls,
        guard,
        () => key,
        (write) => calls.update(key, changes, write),
      );
      return { data: show(resource, row) };
    },

    async updateMany({ resource, ids, variables, meta }: RefineUpdateManyParams<unknown>) {
      const changes = await sendFiles(sent(resource, variables as Members), upload);
      const given = ids.map((id) => [idOf(resource, id), changes]);
      const rows = await callEach(client, { collection: resource, method: "update", isAtomic }, given, writeOptions(meta));
      return { data: rows.map((row) => shown(resource, row as Members)) };
    },

    async deleteOne({ resource, id, meta }: RefineRowParams) {
      await callsOf(client, resource).remove(idOf(resource, id), writeOptions(meta));
      seen.delete(keyOf(resource, id));
      return { data: { id } };
    },

    async deleteMany({ resource, ids, meta }: RefineRowsParams) {
      const given = ids.map((id) => [idOf(resource, id)]);
      await callEach(client, { collection: resource, method: "remove", isAtomic }, given, writeOptions(meta));
      return { data: ids.map((id) => ({ id })) };
    },

    async custom(params: RefineCustomParams) {
      return { data: await sendCustom(transport, params, readOptions(params.meta)) };
    },
  };

  const showing = (method: (params: never) => Promise<unknown>) => async (params: never) => {
    try {
      return await method(params);
    } catch (error) {
      throw asRefineError(error);
    }
  };
  const provider = Object.entries(methods).map(([name, method]) => [name, showing(method)]);
  return { ...Object.fromEntries(provider), getApiUrl: () => transport.baseUrl.replace(/\/+$/, "") } as unknown as RefineProvider;
}

function keyOf(resource: string, id: AdminId): string {
  return `${resource} ${id}`;
}

/** The options of a call that reads: it ends when its page is left. */
function readOptions(meta: RefineMeta | undefined): Members {
  return { signal: meta?.queryContext?.signal, ...meta?.restwright };
}

function writeOptions(meta: RefineMeta | undefined): Members {
  return { ...meta?.restwright };
}
