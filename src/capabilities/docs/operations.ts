import { answerDocument, requireVisible, type SentDocuments, type VisibleTo } from "../../engine/operation/answers/sentDocuments.js";
import type { Context } from "../../engine/operation/context.js";
import type { DescribedAnswer, OperationDescription } from "../../engine/operation/description.js";
import type { Environment } from "../../engine/operation/environment.js";
import type { Operation } from "../../engine/operation/operation.js";
import { nothingHere } from "../../engine/operation/permit.js";
import type { Route } from "../../engine/operation/route.js";
import type { PageName } from "./reading/pages.js";
import type { DocsUi } from "./ui.js";

/** What pages are made of, and for whom. */
export interface DocsParts {
  readonly ui: DocsUi;
  readonly documents: SentDocuments;
  readonly visibleTo: VisibleTo;
  readonly service: Environment;
}

/** The routes of the pages and of their files. */
export function docsRoutes(parts: DocsParts, path: string): readonly Route[] {
  const segments = path.split("/").slice(1);
  const tag = (context: Context): PageName => `tags/${context.params[0] ?? ""}`;
  return [
    { segments, operations: [pageOperation(parts, "docs.read", "The documentation as a page", () => "")] },
    ...(parts.ui.hasMorePages
      ? [
          {
            segments: [...segments, "reference"],
            operations: [pageOperation(parts, "docs.reference", "What all groups of the documentation share", () => "reference")],
          },
          { segments: [...segments, "tags", null], operations: [pageOperation(parts, "docs.tag", "The documentation of one group", tag)] },
        ]
      : []),
    { segments: [...segments, "assets", null, null], operations: [assetOperation(parts)] },
  ];
}

const pageAnswers: readonly DescribedAnswer[] = [
  {
    status: 200,
    text: "The page.",
    headers: ["ETag", "Content-Security-Policy", "Referrer-Policy"],
    bodies: [{ mediaType: "text/html", schema: { type: "string" } }],
  },
  { status: 304, text: "The page has not changed.", headers: ["ETag"] },
];

function pageOperation(
  { ui, documents, visibleTo, service }: DocsParts,
  name: string,
  summary: string,
  pageOf: (context: Context) => PageName,
): Operation {
  return {
    ...readable(name, { summary, answers: pageAnswers, codes: ["MALFORMED_HEADER", "PRECONDITION_FAILED", "UNAUTHENTICATED", "NOT_FOUND"] }),
    // Credentials are verified if there are any: they decide what the page shows.
    access: { action: "read", collection: undefined },
    allowsAnonymous: true,
    async run(context) {
      await requireVisible(visibleTo, context, service);
      const page = await ui.page(await documents.sent(context), pageOf(context));
      if (page === undefined) throw nothingHere();
      return answerDocument(context, page, ui.headers);
    },
  };
}

function assetOperation({ ui }: DocsParts): Operation {
  const answers: readonly DescribedAnswer[] = [
    {
      status: 200,
      text: "The file, for good: its address has its hash.",
      headers: ["Content-Encoding", "Cross-Origin-Resource-Policy"],
      bodies: ["text/css", "text/javascript"].map((mediaType) => ({ mediaType, schema: { type: "string" } })),
    },
  ];
  return {
    ...readable("docs.asset", { summary: "A file that pages of the documentation load", answers, codes: ["MALFORMED_HEADER", "NOT_FOUND"] }),
    vary: "Accept-Encoding",
    async run({ params, headers }) {
      const asset = ui.assets.find(({ path }) => path === params.join("/"));
      if (asset === undefined) throw nothingHere();
      return asset.answer(headers.get("accept-encoding"));
    },
  };
}

/** What all operations of the docs have in common. */
function readable(name: string, description: OperationDescription) {
  return { name, method: "GET", standsAlone: true, answers: "other", description: { ...description, tag: "service" } } as const;
}
