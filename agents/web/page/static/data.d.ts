/** The JSON files of the page (`site.py`, `porta_nigra_env/wasm/build.py`, `words.py`); this file is not part of it. */

/** A network of a game. */
export interface NetworkEntry {
  file: string;
  bits: number;
  shape: Record<string, number>;
  /** "outcome", or "points" for networks that predict no winner. */
  reward: string;
  scale: number;
}

/** What the first screen shows of a game. */
export interface Card {
  picture: string;
  /** Numbers of players. */
  seats: number[];
  /** Choices of a seat in a game, by number of players. */
  choices: Record<string, number>;
  /** To load it once. */
  bytes: number;
}

/** A game in the catalogue. */
export interface Entry {
  name: string;
  title: string;
  module: string;
  manifest: string;
  colours: string;
  /** Files by language. */
  words: Record<string, string>;
  rules: Record<string, string>;
  lesson?: string;
  /** Sampling temperatures of the network, those of the weakest level first. */
  levels?: number[];
  /** By number of players. */
  networks: Record<string, NetworkEntry>;
  ratings: Record<string, Record<string, number>>;
  files: string[];
  card?: Card;
  /** Files of sample games and of puzzles. */
  samples?: string;
  puzzles?: string;
}

/** A recorded game of published players, with its players and totals by seat. */
export interface Sample {
  agents: string[];
  scores: number[];
  link: string;
}

/** A position in the view of the player to move. */
export interface PuzzleData {
  link: string;
  /** The best action. */
  best: number;
  /** The share of a win by which it is better than the second one, and the standard error. */
  lead: number;
  error: number;
}

export interface Field {
  name: string;
  start: number;
  shape: number[];
}

export interface Drawing {
  name: string;
  none: number;
  max_rows: number;
  /** Width and height by number of players. */
  sizes: Record<string, [number, number]>;
  font: { family: string; baseline: number; advances: Record<string, number>; bold_advances: Record<string, number> };
  styles: { name: string; fill: string | null; stroke: string | null; width: number; radius: number; bold: boolean; dash: boolean; opacity: number }[];
  symbols: { name: string; path: string }[];
  texts: string[];
  places: { name: string; title: string }[];
  action_places: number[][];
  /** The texts in the language of the words. */
  lettering?: string[];
}

/** Entries of the manifest that may depend on the number of players. */
export interface Info {
  sizes: Record<"state" | "tables" | "words" | "actions" | "observation", number>;
  /** Base64. */
  tables: string;
  actions: string[];
  action_layout: Field[];
  drawing: Drawing;
}

/** The manifest of a module. */
export interface Manifest {
  game: string;
  version: number;
  about: string;
  phases: string[];
  point_sources: string[];
  sheet: { columns: number; sources: number[] } | null;
  secret_choices: string[];
  has_rounds: boolean;
  has_points: boolean;
  state: { name: string; offset: number; type: string; shape: number[] }[];
  policies: { name: string; doc: string; parameters: number[] }[];
  common: Info;
  players: Record<string, Partial<Info>>;
}

/** A kind of fact that narrations tell. */
export interface Fact {
  kind: string;
  axes: string[];
  /** For the observer and for others. */
  up: [string, string];
  down: [string, string] | null;
  none: [string, string] | null;
  /** Singular and plural. */
  noun: [string, string] | null;
  values: string | null;
  /** Whether chance changes it, or the fields of chance that do. */
  drawn: boolean | string[];
  aside: boolean;
  left: boolean;
}

/** The words of a game in one language. */
export interface WordData extends Record<"seat" | "drawn" | "and" | "left" | "wrong_phase" | "game_over" | "no_reason", string> {
  language: string;
  about: string;
  actions: string[];
  phases: string[];
  sources: string[];
  /** Names by axis and index; some in singular and plural. */
  axes: Record<string, (string | [string, string])[]>;
  facts: Fact[];
  layout: number[][];
  starts: number[];
  shapes: number[][];
  chance: Record<string, number[]>;
  kinds: Record<string, { phases: string[]; otherwise: string }>;
  remedies: string[];
  explanations: Record<string, string>;
  names: Record<string, string>;
  places: Record<string, string>;
  sections: Record<string, string>;
  lettering: string[] | null;
  columns: string[][];
  samples: number;
  drawn_samples: number;
  most_remedies: number;
}

export interface LessonStep {
  /** By language. */
  text: Record<string, string>;
  /** To point at, "" for none. */
  place: string;
  /** Of the learner, null for an explanation. */
  action: number | null;
  /** The actions that follow. */
  then: number[];
}

/** A guided first round. */
export interface LessonData {
  seed: string;
  players: number;
  seat: number;
  steps: LessonStep[];
}
