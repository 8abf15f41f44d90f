import type { JobHandler } from "../jobs/handler.js";
import { jobOperations } from "../jobs/operations.js";
import type { Environment } from "../operation/environment.js";
import { Recurring } from "../operation/recurring.js";
import type { LinkedResource } from "../resource/link.js";
import { downloadOperation } from "../transfer/downloadOperation.js";
import { exportHandler } from "../transfer/exportHandler.js";
import { exportKind } from "../transfer/exportKind.js";
import { submitExportOperation } from "../transfer/submitExport.js";
import { sweepFiles } from "../transfer/sweep.js";
import type { Route } from "./router.js";

const sweepEveryMs = 600_000;

type Resources = ReadonlyMap<string, LinkedResource>;

/** The paths of exports as jobs. Where there are none, the one that makes them says why, unless a resource has its name. */
export function exportRoutes(linked: Resources, { limits, jobs, blobs }: Environment): readonly Route[] {
  const resources = exportable(linked);
  if (linked.has("exports")) return [];
  const submit = { segments: ["exports"], operations: [submitExportOperation(resources, limits)] };
  if (jobs === undefined || blobs === undefined) return [submit];
  const options = { settings: jobs, blobs, resources };
  const kind = exportKind(options);
  return [submit, ...jobOperations(kind), { segments: ["exports", null, "download"], operations: [downloadOperation(kind, options)] }];
}

/** Does exports; none where they cannot be done as jobs. */
export function exportHandlers(linked: Resources, environment: Environment): readonly JobHandler[] {
  const { jobs, blobs } = environment;
  if (jobs === undefined || blobs === undefined) return [];
  return [exportHandler(exportable(linked), environment, { blobs, jobs: jobs.store })];
}

/** Files of imports and exports are removed now and then. */
export interface FileSweep {
  start(): void;
  close(): Promise<void>;
}

/** `undefined` where there are no files. */
export function fileSweep({ jobs, blobs, clock, timers, random, logger }: Environment): FileSweep | undefined {
  if (jobs === undefined || blobs === undefined) return undefined;
  const controller = new AbortController();
  const sweep = new Recurring({
    run: async () => void (await sweepFiles({ blobs, jobs: jobs.store, nowMs: clock.now(), signal: controller.signal })),
    everyMs: sweepEveryMs,
    timers,
    random,
    logger,
    failing: "Files of imports and exports cannot be removed.",
  });
  return {
    start: () => sweep.later(),
    async close() {
      controller.abort();
      sweep.stop();
      await sweep.idle();
    },
  };
}

function exportable(linked: Resources): Resources {
  return new Map([...linked].filter(([, { resource }]) => resource.canExport));
}
