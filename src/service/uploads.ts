import type { Environment } from "../operation/environment.js";
import { Recurring } from "../operation/recurring.js";
import { completeOperation } from "../uploads/direct/completeOperation.js";
import { directPutOperation } from "../uploads/direct/directPutOperation.js";
import { listPartsOperation, signPartsOperation } from "../uploads/direct/partsOperation.js";
import { presignOperation } from "../uploads/direct/presignOperation.js";
import { downloadOperation, publicDownloadOperation } from "../uploads/files/downloadOperation.js";
import { formOperation } from "../uploads/forms/formOperation.js";
import { uploadOperation } from "../uploads/plain/uploadOperation.js";
import type { UploadSettings } from "../uploads/records/settings.js";
import { appendOperation, overrideOperation } from "../uploads/resumable/appendOperation.js";
import { checksumAlgorithms } from "../uploads/resumable/checksum.js";
import { tusVersion } from "../uploads/resumable/headers.js";
import { statusOperation } from "../uploads/resumable/statusOperation.js";
import { terminateOperation } from "../uploads/resumable/terminateOperation.js";
import { uploadSettings } from "../uploads/settings.js";
import { sweepOrphans, sweepUploads } from "../uploads/sweep.js";
import type { ServiceOptions } from "./options.js";
import type { Route } from "./router.js";

const sweepEveryMs = 60_000;
const sweepOrphansEveryMs = 3_600_000;

const extensions = ["creation", "creation-with-upload", "creation-defer-length", "termination", "expiration", "checksum", "concatenation"];

/** Uploads of a service, and what is done for them now and then. */
export interface UploadWork {
  readonly settings: UploadSettings;
  start(): void;
  /** Has those who are sending go on elsewhere: what has arrived is recorded. */
  close(): Promise<void>;
}

/** `undefined` where there are no uploads. @throws {ConfigurationError} */
export function uploadWork({ uploads }: ServiceOptions, environment: Environment): UploadWork | undefined {
  if (uploads === undefined) return undefined;
  const settings = uploadSettings(uploads, environment);
  const controller = new AbortController();
  const { timers, random, logger } = environment;
  const recurring = (run: () => Promise<unknown>, everyMs: number, failing: string) =>
    new Recurring({ run: async () => void (await run()), everyMs, timers, random, logger, failing });
  const sweeps = [
    recurring(() => sweepUploads(settings, controller.signal), sweepEveryMs, "Uploads that are over cannot be seen to."),
    recurring(() => sweepOrphans(settings, controller.signal), sweepOrphansEveryMs, "Files that belong to no upload cannot be removed."),
  ];
  return {
    settings,
    start() {
      for (const sweep of sweeps) sweep.later();
    },
    async close() {
      controller.abort();
      settings.active.interruptAll();
      for (const sweep of sweeps) sweep.stop();
      await Promise.all(sweeps.map((sweep) => sweep.idle()));
    },
  };
}

/** The paths of uploads and of files. */
export function uploadRoutes(work: UploadWork | undefined, { limits }: Environment): readonly Route[] {
  if (work === undefined) return [];
  const { settings } = work;
  const spoken = { headers: { "tus-resumable": tusVersion }, optionsHeaders: tusOptions(settings), allowsSlash: true } as const;
  return [
    { segments: ["uploads"], operations: [uploadOperation(settings)], ...spoken },
    {
      segments: ["uploads", null],
      operations: [statusOperation(settings), appendOperation(settings), overrideOperation(settings), terminateOperation(settings)],
      ...spoken,
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

/** What the server can do, in the words of the protocol. */
function tusOptions({ maximumBytes }: UploadSettings): Readonly<Record<string, string>> {
  return {
    "tus-version": tusVersion,
    "tus-extension": extensions.join(","),
    "tus-max-size": String(maximumBytes),
    "tus-checksum-algorithm": checksumAlgorithms.join(","),
  };
}
