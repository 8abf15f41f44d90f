import { type BlobStore, type Capability, createService, type Route, type Service, type ServiceOptions } from "restwright";
import { actions } from "restwright/actions";
import { type BatchOptions, batch } from "restwright/batch";
import { cache } from "restwright/cache";
import { csv, formats, ndjson } from "restwright/formats";
import { hooks } from "restwright/hooks";
import { type JobOptions, jobs } from "restwright/jobs";
import { live } from "restwright/live";
import { memoryBlobs } from "restwright/memory";
import { searches } from "restwright/searches";
import { subscribers } from "restwright/subscribers";
import { transfer } from "restwright/transfer";
import { type UploadOptions, uploads } from "restwright/uploads";
import { type WebhookApi, type WebhookOptions, webhooks } from "restwright/webhooks";
import { xml } from "restwright/xml";
import { shopVersions } from "../../examples/shop/versions.js";

/** Options of a service and of its capabilities; what is not said is used with its defaults, as far as the storage can. */
export interface FullServiceOptions extends Omit<ServiceOptions, "use"> {
  readonly jobs?: JobOptions | false | undefined;
  readonly batch?: BatchOptions | false | undefined;
  /** Of imports, exports and uploads. */
  readonly blobs?: BlobStore | undefined;
  /** Not used unless given; their blobs are those above. */
  readonly uploads?: UploadRules | undefined;
  /** Not used unless given. */
  readonly webhooks?: WebhookOptions | undefined;
  /** Used after all others. */
  readonly more?: readonly Capability[] | undefined;
}

/** Options of uploads besides their blobs. */
export type UploadRules = Omit<UploadOptions, "blobs">;

/** A service that uses every capability. */
export type FullService = Service & WebhookApi;

/** Resources may have events that a test is not about. */
const unheardEvents: Capability = { name: "unheard events", resourceOptions: ["events"], open: () => ({}) };

/** Storages without transactions cannot keep the files of the shop's users. */
const unkeptFiles: Capability = { name: "unkept files", resourceOptions: ["file()"], open: () => ({}) };

/** The storage of another database, or of another library, keeps no changes. */
const unkeptChanges: Capability = { name: "unkept changes", resourceOptions: ["live"], open: () => ({}) };

/** Actions of the shop emit events. Without a subscriber nothing is kept of them. */
function unheard(hasActions: boolean, more: readonly Capability[]): Capability {
  return hasActions && !more.some(({ name }) => name === "subscribers") ? subscribers({ work: false }) : unheardEvents;
}

/** `createService` with every capability: that one does not disturb the others is part of what is tested. */
export function fullService(options: FullServiceOptions): FullService {
  const { jobs: jobOptions, batch: batchOptions, blobs, uploads: uploadOptions, webhooks: webhookOptions, more = [], ...others } = options;
  const hasJobs = jobOptions !== false && (options.storage.jobs !== undefined || jobOptions !== undefined);
  const needed = (option: string) => others.resources.some(({ capabilityOptions }) => capabilityOptions.has(option));
  const keepsRecords = options.storage.uploads !== undefined && options.storage.transaction !== undefined;
  const rules = uploadOptions ?? (needed("file()") && keepsRecords ? { types: "any" } : undefined);
  const use: Capability[] = [
    ...(batchOptions === false ? [] : [batch(batchOptions)]),
    ...(hasJobs ? [jobs(jobOptions)] : []),
    searches(),
    transfer(hasJobs && blobs !== undefined ? { blobs } : {}),
    ...(rules === undefined || (blobs === undefined && uploadOptions !== undefined) ? [] : [uploads({ ...rules, blobs: blobs ?? memoryBlobs() })]),
    ...(needed("file()") && rules === undefined ? [unkeptFiles] : []),
    cache(),
    webhookOptions === undefined ? unheard(needed("actions"), more) : webhooks(webhookOptions),
    ...(needed("hooks") && !more.some(({ name }) => name === "hooks") ? [hooks()] : []),
    ...(needed("actions") && !more.some(({ name }) => name === "actions") ? [actions()] : []),
    ...(needed("live") ? [options.storage.changes === undefined ? unkeptChanges : live()] : []),
    // Only the resources of the shop have versions, and take XML.
    ...(needed("versions") ? [shopVersions()] : []),
    ...(needed("accepts") && !more.some(({ name }) => name === "formats") ? [formats({ use: [csv(), ndjson(), xml()] })] : []),
    ...more,
  ];
  let routes: readonly Route[] = [];
  const seesRoutes: Capability = { name: "sees routes", open: () => ({ check: seen }) };
  function seen(all: readonly Route[]): void {
    routes = all;
  }
  const service = createService({ ...others, use: [...use, seesRoutes] }) as FullService;
  routesOfServices.set(service, routes);
  return service;
}

const routesOfServices = new WeakMap<object, readonly Route[]>();

/** The routes of a service that {@link fullService} made. */
export function routesOf(service: Service): readonly Route[] {
  return routesOfServices.get(service) ?? [];
}
