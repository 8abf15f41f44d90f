import type { VisibleTo } from "../../engine/operation/answers/sentDocuments.js";
import type { JsonSchema } from "../../engine/operation/description.js";
import type { Principal } from "../../parts/auth/verifier.js";

/** `info` of a document. @see https://spec.openapis.org/oas/v3.1.1.html#info-object */
export interface DocumentInfo {
  /** The name of the API. */
  readonly title: string;
  /** The version of the API, such as `1.4.0`. */
  readonly version: string;
  /** A text in CommonMark about the API. */
  readonly description?: string | undefined;
  /** A short text about the API. */
  readonly summary?: string | undefined;
  /** URL of the terms of service. */
  readonly termsOfService?: string | undefined;
  /** Who answers questions about the API. */
  readonly contact?: { readonly name?: string | undefined; readonly url?: string | undefined; readonly email?: string | undefined } | undefined;
  /** The licence of the API. */
  readonly license?: { readonly name: string; readonly identifier?: string | undefined; readonly url?: string | undefined } | undefined;
}

/** An OpenAPI document, as plain JSON. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: DocumentInfo;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [member: string]: unknown;
}

/** What a document says beside the operations. */
export interface DocumentOptions {
  /** What the document says of the API as a whole. */
  readonly info: DocumentInfo;
  /** `3.1` (default), or `3.2`, which tools read in part only. */
  readonly version?: "3.1" | "3.2" | undefined;
  /** Addresses of the API, such as `https://api.example.com/v1` (default: `baseUrl` of the service, or else the path at which the host has mounted it). */
  readonly servers?: readonly { readonly url: string; readonly description?: string | undefined }[] | undefined;
  /** Texts of groups of operations, by the names of collections and features. Their order is that of the document. */
  readonly tags?: readonly { readonly name: string; readonly description?: string | undefined }[] | undefined;
  /** JSON Schemas of fields that zod cannot express, by `collection.field`. */
  readonly schemas?: Readonly<Record<string, JsonSchema>> | undefined;
  /** Names of the schemas of collections, where the singular is another: `{ people: "Person" }`. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /**
   * How filters are declared; the service takes both. `deep` (default): a parameter of each path, as an object in brackets with all operators, `total[gte]=5`. `flat`: `total`,
   * `total__gte`, `total__lte`, `total__in` and `total__like`, for generators that cannot write objects in queries.
   */
  readonly filters?: "deep" | "flat" | undefined;
  /** The part of the API that is described (default: all of it). */
  readonly only?: DocumentPart | undefined;
}

/** A part of an API. */
export interface DocumentPart {
  /** The groups of operations: names of collections and features, as `tags` of the document lists them. */
  readonly tags: readonly string[];
}

/** Options of {@link openapi}. */
export interface OpenApiOptions extends DocumentOptions {
  /** Where the document is served (`/openapi.json`); `false`: nowhere, and it is only made by `service.document()`. */
  readonly path?: string | false | undefined;
  /** Who gets the document: `everyone` (default), `authenticated` callers (others get 401), or those for whom a function answers `true` (others get 404). */
  readonly visibleTo?: VisibleTo | undefined;
  /** Changes the document of a caller before it is sent. The same principal must get the same changes. */
  readonly transform?: ((document: OpenApiDocument, principal: Principal) => OpenApiDocument) | undefined;
}

/** For whom and of what a document is. */
export interface DocumentFor {
  /** The caller. Defaults to callers without credentials. */
  readonly principal?: Principal | undefined;
  /** A version of the API; the newest if absent. */
  readonly apiVersion?: string | undefined;
  /** The part of the API that is described, in place of that of `openapi()`. */
  readonly only?: DocumentPart | undefined;
}
