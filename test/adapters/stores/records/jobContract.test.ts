import { memoryStorage } from "restwright/memory";
import { FakeClock, jobContract } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { JobEntry, JobStore } from "../../../../src/ground/storage/queue/jobs.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";

type Breaking = (sound: JobStore, clock: FakeClock) => Partial<JobStore>;

/** Stores that break one promise each, and the check that has to notice. */
const defects: Readonly<Record<string, { readonly noticedBy: string; readonly breaking: Breaking }>> = {
  "a create that says yes each time": {
    noticedBy: "a second create of the same id returns false and changes nothing",
    breaking: (sound) => ({ create: async (job) => (await sound.create(job)) || true }),
  },
  "a claim of every type": {
    noticedBy: "only jobs of the requested types are claimed",
    breaking: (sound) => {
      const types = new Set<string>();
      return {
        create: (job) => {
          types.add(job.type);
          return sound.create(job);
        },
        claim: (request) => sound.claim({ ...request, types: [...types] }),
      };
    },
  },
  "a claim that takes the newest first": {
    noticedBy: "work of one tenant is claimed by age",
    breaking: (sound) => ({ claim: async (request) => (await sound.claim(request)).toReversed() }),
  },
  "a claim that knows no tenants": {
    noticedBy: "a claim respects the limit per tenant, and takes younger jobs of other tenants instead",
    breaking: (sound) => ({ claim: (request) => sound.claim({ ...request, maxPerTenant: 1_000 }) }),
  },
  "a claim that knows no turns": {
    noticedBy: "tenants take turns at a worker that runs one job at a time",
    breaking: (sound) => ({ claim: ({ after: _none, ...request }) => sound.claim(request) }),
  },
  "turns that count no jobs in progress": {
    noticedBy: "a tenant without a job in progress comes before the older jobs of one that has any",
    breaking: (sound) => {
      const waiting: string[] = [];
      return {
        create: async (job) => {
          waiting.push(job.id);
          return sound.create(job);
        },
        claim: async (request) => {
          const jobs = await sound.claim({ ...request, max: 100 });
          const kept = new Set(jobs.toSorted((left, right) => waiting.indexOf(left.id) - waiting.indexOf(right.id)).slice(0, request.max));
          for (const job of jobs) if (!kept.has(job)) await sound.release(job.lease, { delayMs: 0, failed: false });
          return [...kept];
        },
      };
    },
  },
  "leases that never end": {
    noticedBy: "a claim takes over an expired lease: attempt and fence increase, status, start, progress and cursor stay",
    breaking: (sound) => ({ claim: (request) => sound.claim({ ...request, leaseMs: 1e9 }) }),
  },
  "leases that end at once": {
    noticedBy: "a claim leases what is due and nothing else",
    breaking: (sound) => ({ claim: (request) => sound.claim({ ...request, leaseMs: 0 }) }),
  },
  "attempts that do not count": {
    noticedBy: "attempts and fence increase with each expired lease",
    breaking: (sound) => ({ claim: async (request) => (await sound.claim(request)).map((job) => ({ ...job, attempts: 0 })) }),
  },
  "no fence": {
    noticedBy: "all writes with a lease that another worker took over are refused",
    breaking: (sound) => {
      const last = new Map<string, number>();
      return {
        claim: async (request) => {
          const jobs = await sound.claim(request);
          for (const { lease } of jobs) last.set(lease.id, lease.fence);
          return jobs;
        },
        advance: ({ id, fence }, advance) => sound.advance({ id, fence: last.get(id) ?? fence }, advance),
      };
    },
  },
  "a lease that is refused when it is over": {
    noticedBy: "an expired lease stays valid until another worker takes over",
    breaking: (sound, clock) => {
      const ends = new Map<string, number>();
      return {
        claim: async (request) => {
          const jobs = await sound.claim(request);
          for (const { id } of jobs) ends.set(id, clock.now() + request.leaseMs);
          return jobs;
        },
        finish: async (lease, end) => (ends.get(lease.id) ?? 0) > clock.now() && sound.finish(lease, end),
      };
    },
  },
  "a job that is given back without waiting": {
    noticedBy: "released work is due after its delay",
    breaking: (sound) => ({ release: (lease, { failed }) => sound.release(lease, { delayMs: 0, failed }) }),
  },
  "a try that counts though it did not fail": {
    noticedBy: "a released job can be claimed again with the next fence, and its attempt counts only if it failed",
    breaking: (sound) => ({ release: (lease, { delayMs }) => sound.release(lease, { delayMs, failed: true }) }),
  },
  "a refused advance whose entries are kept": {
    noticedBy: "all writes with a lease that another worker took over are refused",
    breaking: (sound) => {
      const kept = new Map<string, readonly JobEntry[]>();
      return {
        advance: async (lease, advance) => {
          kept.set(lease.id, advance.entries ?? []);
          return sound.advance(lease, advance);
        },
        entries: async (id) => kept.get(id) ?? [],
      };
    },
  },
  "entries that are not paged": {
    noticedBy: "entries are appended and are listed in pages by position",
    breaking: (sound) => ({ entries: (id, after) => sound.entries(id, after, 1_000) }),
  },
  "positions of 32 bits": {
    noticedBy: "positions from 0 to the highest safe integer",
    breaking: (sound) => {
      const cut = ({ position, value }: JobEntry) => ({ position: position % 2 ** 32, value });
      return { entries: async (id, after, limit) => (await sound.entries(id, after, limit)).map(cut) };
    },
  },
  "values kept by reference": {
    noticedBy: "a value that a writer or reader changes later does not change the stored one",
    breaking: (sound) => {
      const inputs = new Map<string, unknown>();
      return {
        create: async (job) => {
          const created = await sound.create(job);
          if (created) inputs.set(job.id, job.input);
          return created;
        },
        claim: async (request) => (await sound.claim(request)).map((job) => ({ ...job, input: inputs.get(job.id) })),
      };
    },
  },
  "a cancel that the worker does not hear of": {
    noticedBy: "extending the lease tells the worker of a cancellation, and the lease stays valid",
    breaking: (sound) => ({ extend: async (lease, leaseMs) => ((await sound.extend(lease, leaseMs)) === "lost" ? "lost" : "held") }),
  },
  "a failed job that is never resumable": {
    noticedBy: "only a failed job with a resumable end is resumable",
    breaking: (sound) => ({
      finish: (lease, end) => sound.finish(lease, end.status === "failed" ? { status: end.status, error: end.error, result: end.result } : end),
    }),
  },
  "a reopening of any failed job": {
    noticedBy: "jobs that are queued, processing, completed, failed for good or unknown cannot be reopened",
    breaking: (sound) => ({ finish: (lease, end) => sound.finish(lease, end.status === "failed" ? { ...end, resumable: true } : end) }),
  },
  "a reopened job that has lost its place": {
    noticedBy: "a claim of a reopened job has its cursor, its input and the next fence",
    breaking: (sound) => {
      const reopened = new Set<string>();
      return {
        reopen: async (id) => {
          reopened.add(id);
          return sound.reopen(id);
        },
        claim: async (request) => (await sound.claim(request)).map((job) => (reopened.has(job.id) ? { ...job, cursor: undefined } : job)),
      };
    },
  },
  "a reopening that anybody has done": {
    noticedBy: "of 20 concurrent reopens exactly one succeeds, and one worker gets the job",
    breaking: (sound) => ({ reopen: async (id) => (await sound.reopen(id)) || (await sound.get(id)) !== undefined }),
  },
  "a removal of what is under way": {
    noticedBy: "a job that has not ended is not removed",
    breaking: (sound) => ({ remove: async (id) => (await sound.remove(id)) || (await sound.get(id)) !== undefined }),
  },
  "a sweep of everything that has ended": {
    noticedBy: "a sweep removes all of the work that ended long enough ago, and nothing else",
    breaking: (sound) => ({ sweep: (_keepMs, max) => sound.sweep(-1, max) }),
  },
  "a sweep that knows no end": {
    noticedBy: "a sweep removes at most the given number, those that ended first",
    breaking: (sound) => ({ sweep: (keepMs) => sound.sweep(keepMs, 1_000) }),
  },
  "a version that stays": {
    noticedBy: "no version of a job occurs twice",
    breaking: (sound) => ({
      get: async (id) => {
        const state = await sound.get(id);
        return state && { ...state, version: state.id };
      },
    }),
  },
};

function contractOf(breaking: Breaking = () => ({})) {
  return jobContract({
    open: async () => {
      const clock = new FakeClock();
      const { jobs } = memoryStorage({ clock });
      const sound = jobs ?? expect.fail();
      return { store: { ...sound, ...breaking(sound, clock) }, advance: (ms) => clock.advance(ms) };
    },
  });
}

describe("the contract of stores of jobs", () => {
  test.each(Object.entries(defects))("notices %s", async (_name, { noticedBy, breaking }) => {
    const [sound, broken] = [await contractOf(), await contractOf(breaking)];
    const position = broken.findIndex(({ name }) => name.includes(noticedBy));
    await expect(sound[position]?.run()).resolves.toBeUndefined();
    await expect(broken[position]?.run()).rejects.toThrow();
  });

  test("notices two claims at once that get one job, or more of a tenant than there may be", async () => {
    const twice: Breaking = (sound) => ({
      claim: async (request) => {
        const jobs = await sound.claim({ ...request, maxPerTenant: 1_000 });
        for (const { lease } of jobs) {
          await Promise.resolve();
          await sound.release(lease, { delayMs: 0, failed: false });
        }
        return jobs;
      },
    });
    for (const name of [
      "exactly one of 20 concurrent claims takes over an expired lease",
      "20 concurrent claims together respect the limit of a tenant",
    ]) {
      await expect((await contractOf(twice)).find((one) => one.name.includes(name))?.run(), name).rejects.toThrow();
    }
  });

  test("notices jobs that do not take part in the transaction", async () => {
    const open = async (joins: boolean) => {
      const storage = memoryStorage();
      const beside = joins ? storage.jobs : memoryStorage().jobs;
      const transaction: Storage["transaction"] = (run, options) => {
        if (storage.transaction === undefined) throw new Error("The memory store has transactions.");
        return storage.transaction((tx) => run(joins ? tx : { ...tx, jobs: beside }), options);
      };
      return { storage: { ...storage, jobs: beside, transaction } };
    };
    const cases = (joins: boolean) => jobContract({ open: () => open(joins) });
    const [together, own] = [await cases(true), await cases(false)];
    for (const name of [
      "a create that is rolled back",
      "an advance that is rolled back",
      "a finish and a row commit together",
      "cancels, failed attempts and removals that are rolled back change nothing",
      "claims, releases, ends and sweeps that are rolled back change nothing",
    ]) {
      const position = own.findIndex((one) => one.name.includes(name));
      await expect(together[position]?.run(), name).resolves.toBeUndefined();
      await expect(own[position]?.run(), name).rejects.toThrow();
    }
  });

  test("skips what a store does not have, and says why", async () => {
    const reasonsOf = async (open: Parameters<typeof jobContract>[0]["open"]) => new Set((await jobContract({ open })).map(({ skip }) => skip));
    const { transaction: _none, ...rest } = memoryStorage();
    const store = rest.jobs ?? expect.fail();
    expect(await reasonsOf(async () => ({ store }))).toEqual(new Set([undefined, "the store stands alone, without a storage"]));
    expect(await reasonsOf(async () => ({ storage: rest }))).toEqual(new Set([undefined, "memory has no transaction()"]));
    expect(await reasonsOf(async () => ({ storage: memoryStorage() }))).toEqual(new Set([undefined]));
  });

  test("refuses a storage without a store of jobs by name", async () => {
    const { jobs: _none, ...rest } = memoryStorage();
    await expect(jobContract({ open: async () => ({ storage: rest }) })).rejects.toThrow("memory has no store of jobs");
  });

  test("gives each check a name of its own", async () => {
    const names = (await contractOf()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(50);
    expect(new Set(names).size).toBe(names.length);
  });
});
