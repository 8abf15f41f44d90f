import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import type { Environment } from "../../engine/operation/environment.js";
import type { Route } from "../../engine/operation/route.js";
import { PollLoop } from "../../engine/operation/work/pollLoop.js";
import { collectionName } from "../../engine/resource/define/define.js";
import { optionsCheck } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { completeOperation } from "./direct/completeOperation.js";
import { directPutOperation } from "./direct/directPutOperation.js";
import { listPartsOperation, signPartsOperation } from "./direct/partsOperation.js";
import { presignOperation } from "./direct/presignOperation.js";
import { downloadOperation, publicDownloadOperation } from "./files/downloadOperation.js";
import { formOperation } from "./forms/formOperation.js";
import type { UploadOptions } from "./options.js";
import { uploadsSchema } from "./optionsSchema.js";
import { uploadOperation } from "./plain/uploadOperation.js";
import type { UploadSettings } from "./records/settings.js";
import { appendOperation, overrideOperation } from "./resumable/appendOperation.js";
import { checksumAlgorithms } from "./resumable/checksum.js";
import { tusVersion } from "./resumable/headers.js";
import { statusOperation } from "./resumable/statusOperation.js";
import { terminateOperation } from "./resumable/terminateOperation.js";
import { fileFieldsOf } from "./rows/fileFields.js";
import { FileRows } from "./rows/fileRows.js";
import { shownFiles } from "./rows/shownFiles.js";
import { uploadSettings } from "./settings.js";
import { sweepOrphans, sweepUploads } from "./sweep.js";

const checkUploadOptions = /* @__PURE__ */ optionsCheck("uploads", uploadsSchema);

/** Short, so that an upload whose process died while finishing it is found within seconds. */
const sweepEveryMs = 2_000;
const sweepOrphansEveryMs = 3_600_000;

const ownPaths: Readonly<Record<string, string>> = { uploads: "files are uploaded there", files: "uploaded files are there" };

const extensions = ["creation", "creation-with-upload", "creation-defer-length", "termination", "expiration", "checksum", "concatenation"];

/**
 * Accepts files at `/uploads`: as one body, resumable (tus 1.0.0), presigned or in forms. Files are checked before they can be read at `/files`.
 *
 * @throws {ConfigurationError} for an unknown option or an invalid value, and at `createService` if a store for the records is missing
 * @example
 * createService({ resources, storage, use: [uploads({ blobs: diskBlobs({ path: "data/blobs" }), types: ["image/png", "application/pdf"] })] });
 */
export function uploads(options: UploadOptions): Capability {
  checkUploadOptions(options);
  const forms = Object.keys(options.forms ?? {});
  for (const name of forms) {
    if (name in ownPaths) throw new ConfigurationError(`No form can be called "${name}": ${ownPaths[name]}.`);
    if (!collectionName.test(name)) throw new ConfigurationError(`"${name}" cannot name a form: a letter, then letters, digits, "-", "_".`);
  }
  return {
    name: "uploads",
    paths: {
      ...ownPaths,
      ...Object.fromEntries(forms.map((name) => [name, "a form with files is sent there"])),
    },
    resourceOptions: ["file()"],
    open: (host) => openUploads(options, host),
  };
}

function openUploads(options: UploadOptions, { environment, resources }: Host): OpenCapability {
  const { blobs, store } = options;
  const { storage, clock, timers, random, logger, limits } = environment;
  const settings = uploadSettings(options, { blobs, storage, clock, timers, logger, limits, resources });
  const fields = fileFieldsOf(resources);
  const controller = new AbortController();
  const pollLoop = (run: () => Promise<unknown>, everyMs: number, failure: string) =>
    new PollLoop({ run: async () => void (await run()), everyMs, timers, random, logger, failure });
  const due = pollLoop(() => sweepUploads(settings, controller.signal), sweepEveryMs, "The upload sweep failed; it will be retried.");
  const orphans = pollLoop(
    () => sweepOrphans(settings, controller.signal),
    sweepOrphansEveryMs,
    "The sweep of files that belong to no upload failed; it will be retried.",
  );
  const sweeps = [due, orphans];
  return {
    routes: routesOf(settings, environment),
    rowHooks: fields.size === 0 ? undefined : new FileRows(fields, environment, settings.store),
    offers: shownFiles(settings.store),
    describes: async () => ({ describe: (await import("./describeUploads.js")).describeUploads }),
    dependencies: {
      blobs: { ping: () => blobs.ping?.(), fault: "the blob store does not answer" },
      ...(store === undefined ? {} : { uploads: { ping: () => store.ping?.(), fault: "the store of uploads accepts no writes" } }),
    },
    closes: [blobs],
    start() {
      due.now();
      orphans.later();
    },
    // Writers are interrupted: received bytes are recorded, and clients can resume with another process.
    async close() {
      controller.abort();
      settings.active.interruptAll();
      await settings.held.endAll();
      for (const sweep of sweeps) sweep.stop();
      await Promise.all(sweeps.map((sweep) => sweep.idle()));
    },
  };
}

function routesOf(settings: UploadSettings, { limits }: Environment): readonly Route[] {
  const tus = {
    headers: { "tus-resumable": tusVersion },
    optionsHeaders: tusOptions(settings),
    allowsSlash: true,
    // tus-js-client and tus-java-client end an upload on 429, and retry after 503.
    limited: { header: "tus-resumable", status: 503 },
  } as const;
  return [
    { segments: ["uploads"], operations: [uploadOperation(settings)], ...tus },
    {
      segments: ["uploads", null],
      operations: [statusOperation(settings), appendOperation(settings), overrideOperation(settings), terminateOperation(settings)],
      ...tus,
    },
    { segments: ["uploads", "presign"], operations: [presignOperation(settings, limits)] },
    { segments: ["uploads", "direct", null], operations: [directPutOperation(settings)] },
    { segments: ["uploads", null, "complete"], operations: [completeOperation(settings)] },
    { segments: ["uploads", null, "parts"], operations: [listPartsOperation(settings), signPartsOperation(settings, limits)] },
    { segments: ["files", null], operations: [downloadOperation(settings)] },
    { segments: ["files", "public", null], operations: [publicDownloadOperation(settings)] },
    ...[...settings.forms.values()].map((form) => ({ segments: [form.name], operations: [formOperation(settings, form)] })),
  ];
}

/** The tus headers that list what the server supports. */
function tusOptions({ maxBytes }: UploadSettings): Readonly<Record<string, string>> {
  return {
    "tus-version": tusVersion,
    "tus-extension": extensions.join(","),
    "tus-max-size": String(maxBytes),
    "tus-checksum-algorithm": checksumAlgorithms.join(","),
  };
}
