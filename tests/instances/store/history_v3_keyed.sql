-- A stored history of version 3 (SQLite), ids as keyed hashes: two releases of the hospital's series.
BEGIN TRANSACTION;
CREATE TABLE optanon_audits (
	release INTEGER NOT NULL, 
	content TEXT NOT NULL, 
	PRIMARY KEY (release), 
	FOREIGN KEY(release) REFERENCES optanon_releases (number)
);
CREATE TABLE optanon_certificates (
	release INTEGER NOT NULL, 
	content TEXT NOT NULL, 
	PRIMARY KEY (release), 
	FOREIGN KEY(release) REFERENCES optanon_releases (number)
);
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
INSERT INTO "optanon_memberships" VALUES(1,0,1,'hmac-bd56faa628ec2a32:76c76b738a6062e706af74d636e2c0188a4bd0e42d133822566a191d06b591ed','[[33,1],"Female",[12000,1]]','cancer');
INSERT INTO "optanon_memberships" VALUES(1,1,1,'hmac-bd56faa628ec2a32:dade5063217a40085e416adc1f80dac47813aad4fd6d9feb5aa496e0253deed0','[[31,1],"Female",[11000,1]]','bronchitis');
INSERT INTO "optanon_memberships" VALUES(1,2,1,'hmac-bd56faa628ec2a32:8cb09ca45d7f1877192caadea9e59638ded6fdcaea49c3babfa0fb4687177f87','[[35,1],"Male",[12000,1]]','AIDS');
INSERT INTO "optanon_memberships" VALUES(1,3,2,'hmac-bd56faa628ec2a32:f924d357ca1ec17ad2cef31308deea474d1a8613872773fea4675494eab4294a','[[40,1],"Female",[13000,1]]','cancer');
INSERT INTO "optanon_memberships" VALUES(1,4,2,'hmac-bd56faa628ec2a32:6187a0a484e067abd74817d9e3f6b5587912911151c8c7e58fd3a355139c02b8','[[41,1],"Female",[14000,1]]','AIDS');
INSERT INTO "optanon_memberships" VALUES(1,5,2,'hmac-bd56faa628ec2a32:6a134eb73ea77c47bd0105881eaa1c8824aa4fb8573bfe847b27eb539f375f97','[[37,1],"Female",[13000,1]]','bronchitis');
INSERT INTO "optanon_memberships" VALUES(2,0,1,'hmac-bd56faa628ec2a32:76c76b738a6062e706af74d636e2c0188a4bd0e42d133822566a191d06b591ed','[[33,1],"Female",[12000,1]]','cancer');
INSERT INTO "optanon_memberships" VALUES(2,1,1,'hmac-bd56faa628ec2a32:dade5063217a40085e416adc1f80dac47813aad4fd6d9feb5aa496e0253deed0','[[31,1],"Female",[11000,1]]','bronchitis');
INSERT INTO "optanon_memberships" VALUES(2,2,1,'hmac-bd56faa628ec2a32:8cb09ca45d7f1877192caadea9e59638ded6fdcaea49c3babfa0fb4687177f87','[[35,1],"Male",[12000,1]]','AIDS');
INSERT INTO "optanon_memberships" VALUES(2,3,2,'hmac-bd56faa628ec2a32:f924d357ca1ec17ad2cef31308deea474d1a8613872773fea4675494eab4294a','[[40,1],"Female",[13000,1]]','cancer');
INSERT INTO "optanon_memberships" VALUES(2,4,2,'hmac-bd56faa628ec2a32:6187a0a484e067abd74817d9e3f6b5587912911151c8c7e58fd3a355139c02b8','[[41,1],"Female",[14000,1]]','AIDS');
INSERT INTO "optanon_memberships" VALUES(2,5,2,'hmac-bd56faa628ec2a32:6a134eb73ea77c47bd0105881eaa1c8824aa4fb8573bfe847b27eb539f375f97','[[37,1],"Female",[13000,1]]','bronchitis');
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
INSERT INTO "optanon_releases" VALUES(1,'36eb6659afed8660679a8af781e801c794674158961613a12a96993a9a54cb53','2026-11-22T03:04:33+00:00','["age","gender","zip"]','disease','generalized','[{"hi":[35,1],"lo":[31,1]},{"label":"*","values":["Female","Male"]},{"hi":[12000,1],"lo":[11000,1]},{"hi":[41,1],"lo":[37,1]},{"label":"Female","values":["Female"]},{"hi":[14000,1],"lo":[13000,1]}]','{"form":"generalized","hierarchies":{},"max_counterfeits":null,"max_suppressed":null,"minimize":[{"counterfeits":"1"},{"information_loss":"1"}],"recoding":"multidimensional","requirements":[{"weak_m_invariance":{"m":3,"multiplicity":null}},{"hc_safety":{"deep":false,"n":2,"reading":"hcsafe"}}]}');
INSERT INTO "optanon_releases" VALUES(2,'410901f4a16c10137c3fa696c884584f6ba2db6c6ac7dfe4a4c809ff0244483d','2026-11-22T03:04:33+00:00','["age","gender","zip"]','disease','generalized','[{"hi":[35,1],"lo":[31,1]},{"label":"*","values":["Female","Male"]},{"hi":[12000,1],"lo":[11000,1]},{"hi":[41,1],"lo":[37,1]},{"label":"Female","values":["Female"]},{"hi":[14000,1],"lo":[13000,1]}]',NULL);
CREATE TABLE optanon_settings (
	name VARCHAR(40) NOT NULL, 
	content TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "optanon_settings" VALUES('version','3');
INSERT INTO "optanon_settings" VALUES('key check','bd56faa628ec2a32e5d89d7eef8e5764c5e99fdf546d1dd449f34200401867a3');
COMMIT;
