import { memoryStorage } from "restwright/memory";
import { storageContract } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { Collection, Row } from "../../src/ground/storage/collection.js";
import { complete } from "../../src/ground/storage/completed/complete.js";
import type { Filter } from "../../src/ground/storage/filter.js";
import type { Storage } from "../../src/ground/storage/storage.js";

type Sound = Required<Collection>;

/** A mistake as people make them in adapters, and a check of the contract that has to notice it. */
interface Defect {
  readonly name: string;
  readonly noticedBy: string;
  readonly collection?: (sound: Sound) => Partial<Collection>;
  readonly transaction?: (sound: Storage) => NonNullable<Storage["transaction"]>;
}

const changeFilters = (sound: Sound, change: (filter: Filter) => Filter): Partial<Collection> => ({
  find: (query, call) => sound.find({ ...query, filter: query.filter && change(query.filter) }, call),
});

const defects: readonly Defect[] = [
  {
    name: "an empty or that means every row",
    noticedBy: "an empty or means no row",
    collection: (sound) => changeFilters(sound, (filter) => (filter.op === "or" && filter.args.length === 0 ? { op: "and", args: [] } : filter)),
  },
  {
    name: "ne that loses nulls",
    noticedBy: "name: ne includes nulls",
    collection: (sound) =>
      changeFilters(sound, (filter) => (filter.op === "ne" ? { op: "and", args: [filter, { op: "has", path: filter.path }] } : filter)),
  },
  {
    name: "like that folds always",
    noticedBy: "like on name: case counts: a literal in lower case",
    collection: (sound) => changeFilters(sound, (filter) => (filter.op === "like" ? { ...filter, fold: true } : filter)),
  },
  {
    name: "nulls highest",
    noticedBy: "sort by name, nulls lowest",
    collection: (sound) => ({
      find: async (query, call) => {
        const rows = await sound.find({ ...query, limit: 1_000 }, call);
        const path = query.sort[0]?.path[0] ?? "id";
        return [...rows.filter((row) => row[path] != null), ...rows.filter((row) => row[path] == null)].slice(0, query.limit);
      },
    }),
  },
  {
    name: "decimals that are compared as texts",
    noticedBy: "decimals are above and below others as numbers",
    collection: (sound) => changeFilters(sound, (filter) => ("as" in filter ? ({ ...filter, as: undefined } as Filter) : filter)),
  },
  {
    name: "decimals that are sorted as texts",
    noticedBy: "decimals are sorted as numbers",
    collection: (sound) => ({
      find: async (query, call) => {
        const rows = await sound.find(query, call);
        const isAscending = query.sort[0]?.path[0] === "amount" && query.sort[0].dir === "asc";
        return isAscending ? rows.sort((left, right) => (String(left["amount"] ?? "") < String(right["amount"] ?? "") ? -1 : 1)) : rows;
      },
    }),
  },
  {
    name: "text that is sorted by UTF-16 units",
    noticedBy: "sort by name, nulls lowest",
    collection: (sound) => ({
      find: async (query, call) => {
        const rows = await sound.find(query, call);
        return query.sort[0]?.dir === "asc" ? rows.sort((left, right) => (String(left["name"] ?? "") < String(right["name"] ?? "") ? -1 : 1)) : rows;
      },
    }),
  },
  {
    name: "an offset that is applied twice",
    noticedBy: "limit and offset select a page of the ordered rows",
    collection: (sound) => ({ find: (query, call) => sound.find({ ...query, offset: (query.offset ?? 0) * 2 }, call) }),
  },
  {
    name: "get without the tenant",
    noticedBy: "another tenant sees, counts, changes and removes no row of acme",
    collection: (sound) => ({ get: (id) => sound.get(id, { tenant: "acme" }) }),
  },
  {
    name: "an update that ignores the version",
    noticedBy: "of 50 concurrent updates of one version exactly one succeeds",
    collection: (sound) => ({ update: (id, patch, call) => sound.update(id, patch, { ...call, ifVersion: undefined }) }),
  },
  {
    name: "compare, then set",
    noticedBy: "of 50 concurrent updates of one version exactly one succeeds",
    collection: (sound) => ({
      update: async (id, patch, { ifVersion, ...call }) => {
        const current = await sound.get(id, call);
        if (current !== undefined && ifVersion !== undefined && current._version !== ifVersion) return { ok: false, why: "stale", current };
        return sound.update(id, patch, call);
      },
    }),
  },
  {
    name: "a replacement that merges",
    noticedBy: "replace clears every column that is not named",
    collection: (sound) => ({ update: (id, patch, call) => sound.update(id, patch, { ...call, replace: false }) }),
  },
  {
    name: "operations that are forgotten",
    noticedBy: "50 concurrent inserts of one operation create one row, and all return it",
    collection: (sound) => ({ insert: (row, call) => sound.insert(row, { ...call, operationId: undefined }) }),
  },
  {
    name: "a batch that stops at its first conflict",
    noticedBy: "a conflict with a stored row does not affect the other rows of the batch",
    collection: (sound) => ({
      insertMany: async (rows, call) => {
        const outcomes = await sound.insertMany(rows, call);
        const conflict = outcomes.findIndex((outcome) => !outcome.ok);
        return conflict < 0 ? outcomes : outcomes.slice(0, conflict + 1);
      },
    }),
  },
  {
    name: "a projection that forgets the version",
    noticedBy: "empty fields return the id and the reserved members",
    collection: (sound) => ({
      find: async (query, call) => {
        const rows = await sound.find(query, call);
        return query.fields === undefined ? rows : rows.map(({ _version, ...row }) => row as Row);
      },
    }),
  },
  {
    name: "a total that counts the page",
    noticedBy: "a total, if any, of all rows that match its own filter",
    collection: (sound) => ({
      findAndCount: async (query, _total, call) => {
        const found = await sound.find(query, call);
        return { rows: found, total: found.length };
      },
    }),
  },
  {
    name: "groups that share one limit",
    noticedBy: "a group of 300 rows does not shorten the others, and each starts at its lowest ids",
    collection: (sound) => ({
      findGroups: async ({ key, keys, filter, limit }, call) => {
        const rows = await sound.find({ sort: [{ path: ["id"], dir: "asc" }], filter, limit: 1_000 }, call);
        return rows.filter((row) => keys.some((wanted) => wanted === row[key])).slice(0, keys.length * limit);
      },
    }),
  },
  {
    name: "groups that repeat a key",
    noticedBy: "a repeated key returns its rows once",
    collection: (sound) => ({
      findGroups: async (query, call) => (await Promise.all(query.keys.map((key) => sound.findGroups({ ...query, keys: [key] }, call)))).flat(),
    }),
  },
  {
    name: "a bound that drops the rows that tie with it",
    noticedBy: "pages by keyset, quantity asc, meet every row once and in order",
    collection: (sound) =>
      changeFilters(sound, function strict(filter): Filter {
        if (filter.op === "gte") return { ...filter, op: "gt" };
        return filter.op === "and" || filter.op === "or" ? { ...filter, args: filter.args.map(strict) } : filter;
      }),
  },
  {
    name: "an iteration that reads live pages",
    noticedBy: "an iteration sees a snapshot of the rows at its beginning",
    collection: (sound) => {
      const { iterate } = complete({ ...required(sound), can: sound.can });
      return { iterate };
    },
  },
  {
    name: "transactions that are none",
    noticedBy: "a transaction that throws writes nothing and rethrows the error",
    transaction: (sound) => (run) => run(sound),
  },
];

function required(sound: Sound): Collection {
  const { can } = sound;
  const find: Collection["find"] = (query, call) => sound.find(query, call);
  const get: Collection["get"] = (id, call) => sound.get(id, call);
  const insert: Collection["insert"] = (row, call) => sound.insert(row, call);
  const update: Collection["update"] = (id, patch, call) => sound.update(id, patch, call);
  const remove: Collection["remove"] = (id, call) => sound.remove(id, call);
  return { can, find, get, insert, update, remove };
}

/** A memory store with one defect. */
function defective({ collection, transaction }: Defect): Storage {
  const sound = memoryStorage();
  const open = (model: Parameters<Storage["collection"]>[0]): Collection => {
    const rows = complete(sound.collection(model), model.id);
    return { ...accelerated(rows), ...collection?.(rows) };
  };
  const storage: Storage = { name: "defective", collection: open };
  const transacting = transaction?.(sound) ?? sound.transaction;
  return transacting === undefined ? storage : { ...storage, transaction: transacting };
}

function accelerated(sound: Sound): Sound {
  return {
    ...required(sound),
    count: (filter, call) => sound.count(filter, call),
    findAndCount: (query, total, call) => sound.findAndCount(query, total, call),
    getMany: (ids, call) => sound.getMany(ids, call),
    findGroups: (query, call) => sound.findGroups(query, call),
    insertMany: (rows, call) => sound.insertMany(rows, call),
    updateEach: (updates, call) => sound.updateEach(updates, call),
    updateMany: (filter, patch, call) => sound.updateMany(filter, patch, call),
    removeMany: (filter, call) => sound.removeMany(filter, call),
    isSameVersion: (id, versions, call) => sound.isSameVersion(id, versions, call),
    iterate: (query, call) => sound.iterate(query, call),
  };
}

describe("the contract of storage notices", () => {
  test.each(defects)("$name", async (defect) => {
    const sound = await storageContract({ open: async () => defective({ name: "none", noticedBy: "" }) });
    const broken = await storageContract({ open: async () => defective(defect) });
    const position = broken.findIndex((c) => c.name.includes(defect.noticedBy));
    await expect(sound[position]?.run()).resolves.toBeUndefined();
    await expect(broken[position]?.run()).rejects.toThrow();
  });
});

describe("the contract of storage", () => {
  test("skips what a store does not declare, and says why", async () => {
    const sound = memoryStorage();
    const open = async (): Promise<Storage> => ({
      name: "small",
      collection: (model) => {
        const rows = complete(sound.collection(model), model.id);
        return {
          ...accelerated(rows),
          can: { ...rows.can, caseFold: "ascii", snapshot: false, sortable: ["id"], ops: ["and", "eq"], compareAndSet: false },
        };
      },
    });
    const cases = await storageContract({ open });
    const reasons = new Set(cases.map((c) => c.skip));
    for (const reason of [
      "small has no transaction()",
      'can.caseFold is "ascii"',
      "can.snapshot is false",
      "can.compareAndSet is false",
      "the options have no reopen()",
    ]) {
      expect(reasons).toContain(reason);
    }
    expect(reasons).toContain(undefined);
  });

  test("has at least 1,500 checks, each with a name of its own", async () => {
    const cases = await storageContract({ open: async () => memoryStorage() });
    expect(cases.length).toBeGreaterThan(1_500);
    expect(new Set(cases.map((c) => c.name)).size).toBe(cases.length);
  });
});
