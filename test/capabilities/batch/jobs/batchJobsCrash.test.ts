// @long

import type { Storage } from "restwright";
import { faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../../tools/client.js";
import { endedAlive } from "../../../tools/endedAlive.js";
import { nextCall, sampleNote } from "../../../tools/extent.js";
import { fullService } from "../../../tools/fullService.js";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { untilAnswered } from "../../../tools/untilAnswered.js";
import { endedJob, jobOf } from "../batchJobStage.js";
import { kindsOn, makeRows, usersAfter } from "../batchKinds.js";
import { shortLeases } from "../batchLeases.js";
import { shopResources } from "../batchShop.js";

const places = storagePlaces.filter(([name]) => name === "memory" || name === "SQLite in memory");

// Long enough that a busy machine renews the lease of a job: one whose lease ends five times in a row is given up.
const serviceOn = (storage: Storage, work = true) =>
  fullService({ resources: shopResources, storage, idempotency: { leaseMs: 10 }, jobs: { work, leaseMs: 60, pollMs: 5 } });

describe.each(places)("a process that dies while it makes or does the job of a keyed batch on %s", (storeName, place) => {
  const cases = kindsOn(storeName).flatMap((kind) => (["lenient", "strict"] as const).map((mode) => ({ kind, mode })));

  test.each(cases)(`$mode: $kind.name are done once by the next, whichever call it was${sampleNote}`, { timeout: 60_000 }, async ({ kind, mode }) => {
    const headers = { "idempotency-key": "0123456789abcdef", prefer: `respond-async, handling=${mode}` };
    const request = { ...kind.request, headers };
    for (const how of ["before", "after"] as const) {
      let calls = Number.POSITIVE_INFINITY;
      for (let k = nextCall(0); k <= calls; k = nextCall(k)) {
        const storage = shortLeases((await place()).open());
        const watcher = clientOf(serviceOn(storage, false));
        if (kind.needsRows) await makeRows(watcher);
        else await watcher({ target: "/users" });

        const dying = faultyStorage(storage, { dieAfter: k, how });
        const doomed = serviceOn(dying);
        const died = await clientOf(doomed)(request);
        const ended = died.status === 202 ? await endedAlive(watcher, jobOf(died), () => dying.dead) : false;
        if (ended) calls = 0;
        await doomed.close({ graceMs: 0 }).catch(() => {});

        const next = serviceOn(storage);
        const send = clientOf(next);
        const answer = await untilAnswered(() => send(request));
        const job = await endedJob(send, jobOf(answer));
        const at = `${how} call ${k}: ${JSON.stringify(job.document)}`;
        if (died.status === 202) expect(jobOf(answer), at).toBe(jobOf(died));
        expect([job.status, job.summary], at).toEqual(["completed", { total: 3, succeeded: 3, failed: 0 }]);
        expect(
          job.results.map(({ index, status }) => [index, status]),
          at,
        ).toEqual([0, 1, 2].map((index) => [index, kind.status]));
        const { ids, users } = await usersAfter(send);
        expect(users, at).toEqual(kind.after);
        if (kind.status === 201)
          expect(
            job.results.map(({ id }) => id),
            at,
          ).toEqual(ids);
        await next.close();
      }
    }
  });
});
