-- A stored history of version 1 (SQLite): two releases of the hospital's series.
BEGIN TRANSACTION;
CREATE TABLE optanon_groups (
	release INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	box TEXT, 
	counterfeits TEXT NOT NULL, 
	hidden TEXT NOT NULL, 
	PRIMARY KEY (release, number), 
	FOREIGN KEY(release) REFERENCES optanon_releases (number)
);
INSERT INTO "optanon_groups" VALUES(1,1,'[0,1,2]','[]','[]');
INSERT INTO "optanon_groups" VALUES(1,2,'[3,4,5]','[]','[]');
INSERT INTO "optanon_groups" VALUES(2,1,'[0,1,2]','[]','[]');
INSERT INTO "optanon_groups" VALUES(2,2,'[3,4,5]','[]','[]');
CREATE TABLE optanon_memberships (
	release INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	group_number INTEGER, 
	respondent TEXT NOT NULL, 
	point TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (release, position), 
	FOREIGN KEY(release, group_number) REFERENCES optanon_groups (release, number), 
	FOREIGN KEY(release) REFERENCES optanon_releases (number)
);
INSERT INTO "optanon_memberships" VALUES(1,0,1,'Alice','[[33,1],"Female",[12000,1]]','cancer');
INSERT INTO "optanon_memberships" VALUES(1,1,1,'Betty','[[31,1],"Female",[11000,1]]','bronchitis');
INSERT INTO "optanon_memberships" VALUES(1,2,1,'Carl','[[35,1],"Male",[12000,1]]','AIDS');
INSERT INTO "optanon_memberships" VALUES(1,3,2,'Doris','[[40,1],"Female",[13000,1]]','cancer');
INSERT INTO "optanon_memberships" VALUES(1,4,2,'Erica','[[41,1],"Female",[14000,1]]','AIDS');
INSERT INTO "optanon_memberships" VALUES(1,5,2,'Fiona','[[37,1],"Female",[13000,1]]','bronchitis');
INSERT INTO "optanon_memberships" VALUES(2,0,1,'Carl','[[35,1],"Male",[12000,1]]','AIDS');
INSERT INTO "optanon_memberships" VALUES(2,1,1,'Grace','[[42,1],"Female",[13000,1]]','bronchitis');
INSERT INTO "optanon_memberships" VALUES(2,2,1,'Hanna','[[42,1],"Female",[13000,1]]','cancer');
INSERT INTO "optanon_memberships" VALUES(2,3,2,'Doris','[[40,1],"Female",[13000,1]]','cancer');
INSERT INTO "optanon_memberships" VALUES(2,4,2,'Fiona','[[37,1],"Female",[13000,1]]','bronchitis');
INSERT INTO "optanon_memberships" VALUES(2,5,2,'Erica','[[41,1],"Female",[14000,1]]','AIDS');
CREATE TABLE optanon_releases (
	number INTEGER NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	appended VARCHAR(40) NOT NULL, 
	attributes TEXT NOT NULL, 
	sensitive TEXT NOT NULL, 
	form VARCHAR(20) NOT NULL, 
	cells TEXT NOT NULL, 
	policy TEXT, 
	PRIMARY KEY (number)
);
INSERT INTO "optanon_releases" VALUES(1,'defca6b27b93ea3b137c70ae7d55eba08656dacded386f706f0f0f2dd55e5d21','2026-01-01T00:00:00+00:00','["age","gender","zip"]','disease','generalized','[{"hi":[35,1],"lo":[31,1]},{"label":"*","values":["Female","Male"]},{"hi":[12000,1],"lo":[11000,1]},{"hi":[41,1],"lo":[37,1]},{"label":"Female","values":["Female"]},{"hi":[14000,1],"lo":[13000,1]}]','{"form":"generalized","hierarchies":{},"max_counterfeits":null,"max_suppressed":null,"minimize":[{"counterfeits":"1"},{"information_loss":"1"}],"recoding":"multidimensional","requirements":[{"weak_m_invariance":{"m":3,"multiplicity":null}},{"hc_safety":{"deep":false,"n":2,"reading":"hcsafe"}}]}');
INSERT INTO "optanon_releases" VALUES(2,'eb71b2d0698c1a195efa3978308a47e49d0e26deb1468022077526df6f48247f','2026-01-01T00:00:00+00:00','["age","gender","zip"]','disease','generalized','[{"hi":[42,1],"lo":[35,1]},{"label":"*","values":["Female","Male"]},{"hi":[13000,1],"lo":[12000,1]},{"hi":[41,1],"lo":[37,1]},{"label":"Female","values":["Female"]},{"hi":[14000,1],"lo":[13000,1]}]','{"form":"generalized","hierarchies":{},"max_counterfeits":null,"max_suppressed":null,"minimize":[{"counterfeits":"1"},{"information_loss":"1"}],"recoding":"multidimensional","requirements":[{"weak_m_invariance":{"m":3,"multiplicity":null}},{"hc_safety":{"deep":false,"n":2,"reading":"hcsafe"}}]}');
CREATE TABLE optanon_settings (
	name VARCHAR(40) NOT NULL, 
	content TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "optanon_settings" VALUES('version','1');
COMMIT;
