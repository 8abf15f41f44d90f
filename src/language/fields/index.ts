export { ProblemError, type ProblemItem } from "../../ground/problem/index.js";
export type { FieldsRequest } from "./chooseFields.js";
export { defineFields, type Fields, type FieldsOptions, selectFields } from "./define.js";
export type { FieldKey, KnownFields, Select } from "./select.js";
export type { ChosenFields, ChosenMembers, Selection } from "./selection.js";
