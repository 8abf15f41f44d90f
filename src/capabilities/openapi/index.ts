export type { VisibleTo } from "../../engine/operation/answers/sentDocuments.js";
export type {
  AddedDescription,
  DescribedAnswer,
  DescribedBody,
  DescribedParameter,
  JsonSchema,
  OperationDescription,
} from "../../engine/operation/description.js";
export { type OpenApiCalls, openapi } from "./capability.js";
export type { DocumentFor, DocumentInfo, DocumentOptions, DocumentPart, OpenApiDocument, OpenApiOptions } from "./options.js";
