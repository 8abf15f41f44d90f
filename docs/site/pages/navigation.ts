/** A page, by its path below docs/ without its ending, and its short title in the navigation. */
export type PageEntry = readonly [path: string, title: string];

/** Pages under one heading. */
export interface PageGroup {
  readonly title: string;
  readonly pages: readonly PageEntry[];
}

/** A chapter of the site. */
export interface Chapter {
  readonly title: string;
  readonly groups: readonly PageGroup[];
}

/** All pages, in the order in which the site shows them. A test compares them with the folder, so that no page is missing and none is dead. */
export const chapters: readonly Chapter[] = [
  {
    title: "Guides",
    groups: [
      {
        title: "Begin",
        pages: [
          ["guides/start", "Start from nothing"],
          ["guides/existing-express-postgres", "Add to an application"],
          ["guides/authentication", "Authentication"],
        ],
      },
      {
        title: "Move",
        pages: [
          ["guides/from-express-crud", "From Express routes"],
          ["guides/from-json-server", "From json-server"],
          ["guides/from-feathers", "From Feathers"],
          ["guides/from-postgrest", "From PostgREST"],
        ],
      },
      {
        title: "Who sees what",
        pages: [
          ["guides/who-sees-what", "The four questions"],
          ["guides/own-rows", "Each user sees own rows"],
          ["guides/teams", "Teams"],
          ["guides/public-rows", "Public rows"],
        ],
      },
      {
        title: "Business rules",
        pages: [
          ["guides/order-total", "The total of an order"],
          ["guides/many-rows", "A rule over many rows"],
          ["guides/state-machine", "A state machine"],
          ["guides/hash-a-password", "Hash a password"],
          ["guides/mail-after-commit", "A mail after the commit"],
          ["guides/payment", "A payment, charged once"],
          ["guides/audit-log", "An audit log"],
          ["guides/search-index", "A search index in step"],
          ["guides/queues", "Workers that you already have"],
        ],
      },
      {
        title: "Files and events",
        pages: [
          ["guides/files", "Files"],
          ["guides/imports-and-exports", "Imports and exports"],
          ["guides/webhooks-both-sides", "Webhooks, both sides"],
          ["guides/live-pages", "Live pages"],
        ],
      },
      {
        title: "Run it",
        pages: [
          ["guides/testing-rules", "Test your rules"],
          ["guides/production", "Going to production"],
          ["schema-changes", "Schema changes"],
          ["guides/change-a-column", "Change a column of a table"],
        ],
      },
    ],
  },
  {
    title: "Reference",
    groups: [
      {
        title: "Look up",
        pages: [
          ["options", "All options"],
          ["limits", "Limits"],
          ["problems", "Problem codes"],
          ["logs", "Logs"],
          ["command-line", "Command line"],
        ],
      },
      {
        title: "Data",
        pages: [
          ["resources", "Resources"],
          ["relations", "Relations"],
          ["lists", "Lists"],
          ["query", "Queries"],
          ["fields", "Fields"],
          ["calls", "Calls from code"],
          ["client", "The client"],
          ["clients", "Other clients"],
          ["admin-pages", "Admin pages"],
          ["storage", "Storage"],
          ["tables", "Existing tables"],
        ],
      },
      {
        title: "HTTP",
        pages: [
          ["access", "Access"],
          ["sigv4", "Signed requests"],
          ["conditional-requests", "Conditional requests"],
          ["idempotency", "Idempotency keys"],
          ["json-patch", "JSON Patch"],
          ["negotiation", "Negotiation"],
          ["hosts", "Hosts"],
        ],
      },
      {
        title: "Capabilities",
        pages: [
          ["capabilities", "Capabilities"],
          ["actions", "Actions"],
          ["batch", "Batches"],
          ["caching", "Caching"],
          ["checks", "File checks"],
          ["compression", "Compression"],
          ["cors", "Pages of other origins"],
          ["formats", "Forms, XML, CSV, NDJSON"],
          ["hooks", "Hooks"],
          ["jobs", "Jobs"],
          ["languages", "Languages"],
          ["live", "Live rows"],
          ["docs-page", "Documentation as pages"],
          ["openapi", "OpenAPI document"],
          ["opentelemetry", "Traces and metrics"],
          ["rate-limits", "Rate limits"],
          ["subscribers", "Subscribers"],
          ["transfer", "Import and export"],
          ["uploads", "Uploads"],
          ["versions", "Versions of the API"],
          ["webhooks", "Webhooks"],
        ],
      },
    ],
  },
  {
    title: "Background",
    groups: [
      {
        title: "Background",
        pages: [
          ["architecture", "Architecture"],
          ["decisions/README", "Decisions"],
          ["reliability", "Reliability"],
          ["threat-model", "Threat model"],
          ["benchmarks", "Benchmarks"],
          ["glossary", "Glossary"],
        ],
      },
    ],
  },
];
