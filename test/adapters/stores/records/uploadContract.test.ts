import { memoryStorage } from "restwright/memory";
import { uploadContract } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { UploadStore } from "../../../../src/ground/storage/files/uploads.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";

type Breaking = (sound: UploadStore) => Partial<UploadStore>;

/** Lets others run between what a store asks and what it does. */
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Stores that break one promise each, and the check that has to notice. */
const defects: Readonly<Record<string, { readonly noticedBy: string; readonly breaking: Breaking }>> = {
  "a create over what is there": {
    noticedBy: "a second create of the same id is a conflict",
    breaking: (sound) => ({
      create: async (upload, limits) => {
        const before = await sound.get(upload.id);
        if (before !== undefined) await sound.remove(before.id, before.version);
        return sound.create(upload, limits);
      },
    }),
  },
  "a create that is judged before it is known to be the second": {
    noticedBy: "a second create is a conflict, even if the limits would refuse it",
    breaking: (sound) => ({
      create: async (upload, limits) => {
        const use = await sound.use(upload.tenant, upload.account);
        return use.open >= (limits?.maxOpen ?? 9) ? { outcome: "too-many-open", use } : sound.create(upload, limits);
      },
    }),
  },
  "instants of whole seconds": {
    noticedBy: "due times have a precision of one millisecond, also before 1970 and far in the future",
    breaking: (sound) => ({
      get: async (id) => {
        const record = await sound.get(id);
        return record?.dueAt && { ...record, dueAt: new Date(Math.floor(record.dueAt.getTime() / 1_000) * 1_000) };
      },
    }),
  },
  "data that is kept by reference": {
    noticedBy: "values that a caller changes later do not change the stored record",
    breaking: (sound) => {
      const kept = new Map<string, unknown>();
      return {
        create: (upload, limits) => {
          kept.set(upload.id, upload.data);
          return sound.create(upload, limits);
        },
        get: async (id) => {
          const record = await sound.get(id);
          return record && { ...record, data: kept.get(id) };
        },
      };
    },
  },
  "an empty text that is a tenant": {
    noticedBy: "an empty tenant means no tenant",
    breaking: (sound) => ({ create: (upload, limits) => sound.create(upload.tenant === "" ? { ...upload, tenant: "empty" } : upload, limits) }),
  },
  "accounts that are told apart by a text of both names": {
    noticedBy: "a tenant and an account with the same concatenated text are separate",
    breaking: (sound) => ({
      create: ({ tenant, account, ...upload }, limits) => sound.create({ ...upload, tenant: "all", account: `${tenant ?? ""}:${account}` }, limits),
      use: (tenant, account) => sound.use("all", `${tenant ?? ""}:${account}`),
    }),
  },
  "an update that asks for no version": {
    noticedBy: "an update with an old or future version is a conflict and changes nothing",
    breaking: (sound) => ({
      update: async (id, version, changes, limits) => sound.update(id, (await sound.get(id))?.version ?? version, changes, limits),
    }),
  },
  "an update that asks for the version first, and writes later": {
    noticedBy: "of 30 concurrent updates of one version",
    breaking: (sound) => ({
      update: async (id, version, changes, limits) => {
        if ((await sound.get(id))?.version !== version) return { outcome: "conflict" };
        await pause();
        return sound.update(id, (await sound.get(id))?.version ?? version, changes, limits);
      },
    }),
  },
  "a member of undefined that is taken for none": {
    noticedBy: "an update to undefined clears a member, and an absent member stays",
    breaking: (sound) => ({
      update: (id, version, { dueAt, ...changes }, limits) =>
        sound.update(id, version, dueAt === undefined ? changes : { ...changes, dueAt }, limits),
    }),
  },
  "a member that is not there taken for undefined": {
    noticedBy: "an update changes only the given members and adds 1 to the version",
    breaking: (sound) => ({ update: (id, version, changes, limits) => sound.update(id, version, { dueAt: undefined, ...changes }, limits) }),
  },
  "a removal that asks for no version": {
    noticedBy: "a removal with an old version removes nothing",
    breaking: (sound) => ({ remove: async (id, version) => sound.remove(id, (await sound.get(id))?.version ?? version) }),
  },
  "a removal that leaves its bytes in the sums": {
    noticedBy: "a removed record is gone, also from the sums of its account",
    breaking: (sound) => {
      const left = new Map<string | undefined, number>();
      return {
        remove: async (id, version) => {
          const record = await sound.get(id);
          const removed = await sound.remove(id, version);
          if (removed && record !== undefined) left.set(record.tenant, record.bytes);
          return removed;
        },
        use: async (tenant, account) => {
          const { open, bytes } = await sound.use(tenant, account);
          return { open, bytes: bytes + (left.get(tenant) ?? 0) };
        },
      };
    },
  },
  "limits that are asked for first, and forgotten while it writes": {
    noticedBy: "of 40 concurrent creates exactly as many succeed as may be open",
    breaking: (sound) => ({
      create: async (upload, limits) => {
        const use = await sound.use(upload.tenant, upload.account);
        await pause();
        return use.open >= (limits?.maxOpen ?? 99) ? { outcome: "too-many-open", use } : sound.create(upload);
      },
    }),
  },
  "a quota that is asked for first, and forgotten while it writes": {
    noticedBy: "of 40 concurrent creates exactly as many succeed as the bytes allow",
    breaking: (sound) => ({
      create: async (upload, limits) => {
        const use = await sound.use(upload.tenant, upload.account);
        await pause();
        return use.bytes + upload.bytes > (limits?.maxBytes ?? 1e9) ? { outcome: "over-quota", use } : sound.create(upload);
      },
    }),
  },
  "a limit that is one less than it says": {
    noticedBy: "creates succeed up to the limit of open records; the next is refused with the current sums",
    breaking: (sound) => ({
      create: (upload, limits) => sound.create(upload, limits?.maxOpen === undefined ? limits : { ...limits, maxOpen: limits.maxOpen - 1 }),
    }),
  },
  "a quota that leaves out what is asked for": {
    noticedBy: "creates succeed up to the limit of bytes; the next byte is refused with the current sums",
    breaking: (sound) => ({
      create: (upload, limits) =>
        sound.create(upload, limits?.maxBytes === undefined ? limits : { ...limits, maxBytes: limits.maxBytes + upload.bytes }),
    }),
  },
  "a use that has what was refused in it": {
    noticedBy: "creates succeed up to the limit of bytes; the next byte is refused with the current sums",
    breaking: (sound) => ({
      create: async (upload, limits) => {
        const outcome = await sound.create(upload, limits);
        return "use" in outcome ? { ...outcome, use: { open: outcome.use.open, bytes: outcome.use.bytes + upload.bytes } } : outcome;
      },
    }),
  },
  "an update that is judged for all that the record takes": {
    noticedBy: "fewer bytes free quota, and only the increase of an update is checked",
    breaking: (sound) => ({
      update: async (id, version, changes, limits) => {
        const before = await sound.get(id);
        const use = await sound.use(before?.tenant, before?.account ?? "");
        const tooMuch = use.bytes + (changes.bytes ?? 0) > (limits?.maxBytes ?? 1e9);
        return tooMuch && before?.bytes !== changes.bytes ? { outcome: "over-quota", use } : sound.update(id, version, changes, limits);
      },
    }),
  },
  "an update without growth that is refused beyond the limit": {
    noticedBy: "an update that adds nothing is never refused, even if the account exceeds its limits",
    breaking: (sound) => ({
      update: async (id, version, changes, limits) => {
        const before = await sound.get(id);
        const use = await sound.use(before?.tenant, before?.account ?? "");
        return use.bytes > (limits?.maxBytes ?? 1e9) ? { outcome: "over-quota", use } : sound.update(id, version, changes, limits);
      },
    }),
  },
  "an update that nobody judges": {
    noticedBy: "concurrent increases together respect the limit",
    breaking: (sound) => ({ update: (id, version, changes) => sound.update(id, version, changes) }),
  },
  "a record that is opened again without asking": {
    noticedBy: "closing a record decreases the count of open records, and reopening it counts again",
    breaking: (sound) => ({
      update: (id, version, changes, limits) => sound.update(id, version, changes, { ...limits, maxOpen: undefined }),
    }),
  },
  "the least overdue first": {
    noticedBy: "due returns complete records, the most overdue first, at most the requested number",
    breaking: (sound) => ({ due: async (now, limit) => (await sound.due(now, 1_000)).toReversed().slice(0, limit) }),
  },
  "due without an end": {
    noticedBy: "due returns complete records, the most overdue first, at most the requested number",
    breaking: (sound) => ({ due: (now) => sound.due(now, 1_000) }),
  },
  "an instant that is due only when it has passed": {
    noticedBy: "a record is due exactly at its due time",
    breaking: (sound) => ({ due: (now, limit) => sound.due(new Date(now.getTime() - 1), limit) }),
  },
  "a record without an instant that is always due": {
    noticedBy: "a record without a due time is never due, from its creation or after an update",
    breaking: (sound) => ({
      create: (upload, limits) => sound.create({ ...upload, dueAt: upload.dueAt ?? new Date(0) }, limits),
    }),
  },
  "sums of floating numbers": {
    noticedBy: "sums stay exact after they exceeded the exact range of a number",
    breaking: (sound) => {
      const sums = new Map<string | undefined, number>();
      const add = (tenant: string | undefined, bytes: number) => sums.set(tenant, (sums.get(tenant) ?? 0) + bytes);
      return {
        create: (upload, limits) => {
          add(upload.tenant, upload.bytes);
          return sound.create(upload, limits);
        },
        remove: async (id, version) => {
          const record = await sound.get(id);
          add(record?.tenant, -(record?.bytes ?? 0));
          return sound.remove(id, version);
        },
        use: async (tenant, account) => ({ open: (await sound.use(tenant, account)).open, bytes: sums.get(tenant) ?? 0 }),
      };
    },
  },
  "a sum that forgets records that are closed again": {
    noticedBy: "calls by chance (seed 1)",
    breaking: (sound) => {
      let closed = 0;
      return {
        update: async (id, version, changes, limits) => {
          const before = await sound.get(id);
          const outcome = await sound.update(id, version, changes, limits);
          if (outcome.outcome === "stored" && before?.isOpen === true && !outcome.record.isOpen) closed += 1;
          return outcome;
        },
        use: async (tenant, account) => {
          const { open, bytes } = await sound.use(tenant, account);
          return { open: open + (closed > 3 ? 1 : 0), bytes };
        },
      };
    },
  },
};

function contractOf(breaking: Breaking = () => ({})) {
  return uploadContract({
    open: async () => {
      const sound = memoryStorage().uploads ?? expect.fail();
      return { store: { ...sound, ...breaking(sound) } };
    },
  });
}

describe("the contract of stores of uploads", () => {
  test.each(Object.entries(defects))("notices %s", async (_name, { noticedBy, breaking }) => {
    const [sound, broken] = [await contractOf(), await contractOf(breaking)];
    const position = broken.findIndex(({ name }) => name.includes(noticedBy));
    await expect(sound[position]?.run()).resolves.toBeUndefined();
    await expect(broken[position]?.run()).rejects.toThrow();
  });

  test("notices records that do not take part in the transaction", async () => {
    const open = async (joins: boolean) => {
      const storage = memoryStorage();
      const beside = joins ? storage.uploads : memoryStorage().uploads;
      const transaction: Storage["transaction"] = (run, options) => {
        if (storage.transaction === undefined) throw new Error("The memory store has transactions.");
        return storage.transaction((tx) => run(joins ? tx : { ...tx, uploads: beside }), options);
      };
      return { storage: { ...storage, uploads: beside, transaction } };
    };
    const cases = (joins: boolean) => uploadContract({ open: () => open(joins) });
    const [together, own] = [await cases(true), await cases(false)];
    for (const name of [
      "a create that is rolled back",
      "updates and removals that are rolled back change nothing",
      "uncommitted writes are not visible outside of the transaction",
      "in a nested transaction",
    ]) {
      const position = own.findIndex((one) => one.name.includes(name));
      await expect(together[position]?.run(), name).resolves.toBeUndefined();
      await expect(own[position]?.run(), name).rejects.toThrow();
    }
  });

  test("skips what a store does not have, and says why", async () => {
    const reasonsOf = async (open: Parameters<typeof uploadContract>[0]["open"]) => new Set((await uploadContract({ open })).map(({ skip }) => skip));
    const { transaction: _none, ...rest } = memoryStorage();
    const store = rest.uploads ?? expect.fail();
    expect(await reasonsOf(async () => ({ store }))).toEqual(new Set([undefined, "the store stands alone, without a storage"]));
    expect(await reasonsOf(async () => ({ storage: rest }))).toEqual(new Set([undefined, "memory has no transaction()"]));
    expect(await reasonsOf(async () => ({ storage: memoryStorage() }))).toEqual(new Set([undefined]));
  });

  test("refuses a storage without a store of uploads by name", async () => {
    const { uploads: _none, ...rest } = memoryStorage();
    await expect(uploadContract({ open: async () => ({ storage: rest }) })).rejects.toThrow("memory has no store of uploads");
  });

  test("gives each check a name of its own", async () => {
    const names = (await contractOf()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(50);
    expect(new Set(names).size).toBe(names.length);
  });
});
