export class Judge { constructor(game, kernel) {} }
