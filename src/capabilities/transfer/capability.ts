import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { Environment } from "../../engine/operation/environment.js";
import type { Route } from "../../engine/operation/route.js";
import { PollLoop } from "../../engine/operation/work/pollLoop.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import { having, optionsCheck, strict } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { BlobStore } from "../../ground/storage/files/blobs.js";
import { jobOperations } from "../jobs/operations.js";
import { type JobSettings, jobsOf } from "../jobs/settings.js";
import { downloadOperation } from "./export/downloadOperation.js";
import { exportHandler } from "./export/exportHandler.js";
import { exportKind } from "./export/exportKind.js";
import { exportOperation } from "./export/exportOperation.js";
import { OpenExports } from "./export/openExports.js";
import { submitExportOperation } from "./export/submitExport.js";
import { importHandler } from "./import/job/importHandler.js";
import { importErrorsOperation } from "./import/request/importErrors.js";
import { importKind } from "./import/request/importKind.js";
import { importNowOperation } from "./import/request/importNow.js";
import { isImportable } from "./import/request/importPlan.js";
import { resumeImportOperation } from "./import/request/resumeImport.js";
import { submitImportOperation } from "./import/request/submitImport.js";
import { sweepFiles } from "./sweep.js";

/** Options of `transfer`. */
export interface TransferOptions {
  /** Stores the files of imports and exports that run as jobs. Without it imports and exports run within their requests only. Needs `jobs()`. */
  readonly blobs?: BlobStore | undefined;
}

const checkTransferOptions = /* @__PURE__ */ optionsCheck("transfer", () =>
  strict<TransferOptions>({ blobs: having('a BlobStore, such as diskBlobs({ path: "data/blobs" })', "open") }),
);

const sweepEveryMs = 600_000;

/**
 * Imports and exports: `POST /users/import` and `GET /users/export` as CSV, NDJSON or JSON, and with `jobs()` and `blobs` also as jobs, at `/imports` and `/exports`.
 *
 * @throws {ConfigurationError} for an unknown option or a wrong value, and at `createService` for `blobs` without `jobs()`
 * @example
 * createService({ resources, storage, use: [jobs(), transfer({ blobs: diskBlobs({ path: "data/blobs" }) })] });
 */
export function transfer(options: TransferOptions = {}): Capability {
  checkTransferOptions(options);
  return {
    name: "transfer",
    after: ["jobs"],
    paths: { exports: "it is the path of exports that run as jobs", imports: "it is the path of imports that run as jobs" },
    resourceOptions: ["import"],
    open: (host) => openTransfer(options, host),
  };
}

function openTransfer({ blobs }: TransferOptions, host: Host): OpenCapability {
  const { environment, resourcesIn } = host;
  const jobs = jobsOf(environment);
  if (blobs !== undefined && jobs === undefined) {
    throw new ConfigurationError(`transfer({ blobs }) needs jobs: add jobs() of "restwright/jobs" to "use", or leave "blobs" out.`);
  }
  // Those of all collections and versions count together.
  const exporting: Exporting = { host, jobs, blobs, open: new OpenExports() };
  const sweep = jobs && blobs && fileSweep(blobs, jobs, environment);
  if (jobs !== undefined && blobs !== undefined) {
    jobs.handle(importHandler(resourcesIn, environment));
    jobs.handle(exportHandler((version) => exportableOf(resourcesIn(version)), environment, { blobs, jobs: jobs.store }));
  }
  return {
    offers: { blobs },
    describes: async () => ({ describe: (await import("./describeTransfer.js")).describeTransfer }),
    routesFor: (resources) => [...importRoutes(resources, environment, jobs, blobs), ...exportRoutes(exportableOf(resources), exporting)],
    ...(blobs === undefined
      ? {}
      : { dependencies: { blobs: { ping: () => blobs.ping?.(), fault: "the blob store does not answer" } }, closes: [blobs] }),
    start() {
      if (jobs?.works === true) sweep?.start();
    },
    async close() {
      await sweep?.close();
    },
  };
}

type Resources = ReadonlyMap<string, LinkedResource>;

function exportableOf(resources: Resources): Resources {
  return new Map([...resources].filter(([, { resource }]) => resource.canExport));
}

function importRoutes(resources: Resources, { limits }: Environment, jobs: JobSettings | undefined, blobs: BlobStore | undefined): readonly Route[] {
  const importable = [...resources.values()].filter(({ resource }) => isImportable(resource));
  if (importable.length === 0) return [];
  const routes: readonly Route[] = [
    ...importable.map((linked) => ({ segments: [linked.name, "import"], operations: [importNowOperation(linked, resources, limits)] })),
    // Without jobs the operation answers why it is not available.
    { segments: ["imports"], operations: [submitImportOperation("imports.create", resources, limits)] },
  ];
  if (jobs === undefined) return routes;
  const kind = importKind(jobs, blobs);
  return [
    ...routes,
    ...(resources.has("jobs") ? [] : [{ segments: ["jobs", "import"], operations: [submitImportOperation("jobs.import", resources, limits)] }]),
    ...jobOperations(kind),
    { segments: ["imports", null, "resume"], operations: [resumeImportOperation(kind)] },
    { segments: ["imports", null, "errors"], operations: [importErrorsOperation(kind)] },
  ];
}

interface Exporting {
  readonly host: Host;
  readonly jobs: JobSettings | undefined;
  readonly blobs: BlobStore | undefined;
  readonly open: OpenExports;
}

function exportRoutes(resources: Resources, { host, jobs, blobs, open }: Exporting): readonly Route[] {
  const routes: readonly Route[] = [
    ...[...resources.values()].map((linked) => ({ segments: [linked.name, "export"], operations: [exportOperation(linked, open)] })),
    // Without jobs or blobs the operation answers why it is not available.
    { segments: ["exports"], operations: [submitExportOperation(resources, host.environment.limits)] },
  ];
  if (jobs === undefined || blobs === undefined) return routes;
  const options = { settings: jobs, blobs, host };
  const kind = exportKind(options);
  return [...routes, ...jobOperations(kind), { segments: ["exports", null, "download"], operations: [downloadOperation(kind, options)] }];
}

interface FileSweep {
  start(): void;
  close(): Promise<void>;
}

/** Removes expired files of imports and exports, and files that belong to no job. */
function fileSweep(blobs: BlobStore, jobs: JobSettings, { clock, timers, random, logger }: Environment): FileSweep {
  const controller = new AbortController();
  const sweep = new PollLoop({
    run: async () => void (await sweepFiles({ blobs, jobs: jobs.store, nowMs: clock.now(), signal: controller.signal })),
    everyMs: sweepEveryMs,
    timers,
    random,
    logger,
    failure: "The sweep of import and export files failed; it will be retried.",
  });
  return {
    start: () => sweep.now(),
    async close() {
      controller.abort();
      sweep.stop();
      await sweep.idle();
    },
  };
}
