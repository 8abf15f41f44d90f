import type { Host } from "../../../engine/capability/host.js";
import type { Context } from "../../../engine/operation/context.js";
import type { BlobStore } from "../../../ground/storage/files/blobs.js";
import { windowOf } from "../../../parts/blobs/addressWindow.js";
import type { JobKind } from "../../jobs/kind.js";
import type { JobSettings } from "../../jobs/settings.js";
import { removeFiles } from "../jobFiles.js";
import { signDownload } from "./downloadAddress.js";
import { type FinishedFile, fileOf } from "./exportFile.js";
import { mayDownload } from "./mayDownload.js";
import { exportJobs } from "./submitExport.js";

/** The file of a completed export, as clients see it. */
export interface ExportDocument {
  readonly rows: number;
  /** Size of the file; after compression if it is compressed. */
  readonly bytes: number;
  readonly sha256: string;
  readonly contentType: string;
  /** Signed for ten to fifteen minutes; `null` if the file is removed or the principal may no longer read it. */
  readonly downloadUrl: string | null;
  readonly expiresAt: string;
}

export interface ExportKindOptions {
  readonly settings: JobSettings;
  readonly blobs: BlobStore;
  readonly host: Pick<Host, "environment" | "resourcesIn">;
}

/** The kind of job that exports are. */
export function exportKind({ settings, blobs, host }: ExportKindOptions): JobKind {
  const isOpen = async (context: Context, file: FinishedFile) =>
    context.environment.clock.now() < file.expiresMs && (await mayDownload(context, file, host)) === "open";
  return {
    ...exportJobs,
    settings,
    async describe(state, _, self, context) {
      const file = fileOf(state);
      if (file === undefined) return {};
      const { environment, request } = context;
      const { rows, bytes, sha256, contentType, expiresMs } = file;
      const isReadable = await isOpen(context, file);
      const downloadUrl = isReadable ? `${environment.baseUrl ?? request.mount}${signDownload(environment, state)}` : null;
      const result: ExportDocument = { rows, bytes, sha256, contentType, downloadUrl, expiresAt: new Date(expiresMs).toISOString() };
      return { result, links: isReadable ? { download: `${self}/download` } : {} };
    },
    async view(state, context) {
      const file = fileOf(state);
      if (file === undefined) return undefined;
      return (await isOpen(context, file)) ? windowOf(context.environment.clock.now()).toString(36) : "closed";
    },
    // The sweep removes what could not be removed here.
    discard: ({ id }) => removeFiles(blobs, "export", id).catch(() => undefined),
  };
}
